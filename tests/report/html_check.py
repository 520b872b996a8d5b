"""Reads a page as a browser would, and says what a report must not have."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """A parsed page: its texts, its attributes, and what is wrong with its tags."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.tags, self.attributes, self.texts = [], [], [], [], []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]} at {self.getpos()}")
        else:
            self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        """All that is shown, with blanks as one."""
        return " ".join(" ".join(self.texts).split())


def checked(text):
    """Return a page that is whole, runs nothing and loads nothing."""
    page = Page(text)
    assert page.faults == []
    assert not {"script", "iframe", "object", "embed", "link", "img", "form", "base"} & set(page.tags)
    assert page.tags.count("h1") == 1
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in ("src", "srcset", "xlink:href", "action", "formaction"), (tag, name)
        if name == "href":
            assert value.startswith("#"), value
        if name == "style":
            assert value.startswith("--share: "), value
            float(value.removeprefix("--share: "))
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    wanted = {value[1:] for _, name, value in page.attributes if name == "href"}
    named = {one for _, name, value in page.attributes if name == "aria-labelledby" for one in value.split()}
    assert wanted | named <= set(ids)
    assert "url(" not in text
    assert "@import" not in text
    return page
