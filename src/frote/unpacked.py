"""Parts of zip archives that come from outside, unpacked to no more than the archive says of their sizes."""

from __future__ import annotations

import zipfile

__all__ = ["unpacked"]

# Other packings unpack all that there is before anything of it can be counted.
COUNTED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return a part of an archive; `ZipFile.read` unpacks all that there is first, whatever is said of its size.

    Raises
    ------
    BadZipFile
        If the part is damaged, or packed in a way that few programs use.

    Examples
    --------
    >>> import io
    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("a", b"policy")
    >>> with zipfile.ZipFile(packed) as archive:
    ...     unpacked(archive, archive.getinfo("a"))
    b'policy'
    """
    if entry.compress_type not in COUNTED:
        raise zipfile.BadZipFile(f"{entry.filename[:100]!r} is packed in a way that is not read")
    with archive.open(entry) as packed:
        return packed.read(entry.file_size + 1)
