// The data room: a table is brought in, by a click or by dropping it.

import { listen, otherTable, toast, trouble, unreachable } from "./base.js";

const drop = document.getElementById("drop");
const progress = document.getElementById("upload");

function bring(file) {
  if (!file) return;
  const sending = new XMLHttpRequest(); // fetch does not tell how far it is
  sending.open("POST", "/data/upload");
  sending.setRequestHeader("x-file-name", encodeURIComponent(file.name));
  sending.setRequestHeader("x-part", "1");
  progress.hidden = false;
  sending.upload.onprogress = (event) => { progress.value = event.lengthComputable ? 100 * event.loaded / event.total : undefined; };
  sending.onload = () => {
    progress.hidden = true;
    if (sending.status === 200) location.assign(sending.getResponseHeader("x-go-to") ?? "/data");
    else trouble(new Response(sending.responseText));
  };
  sending.onerror = () => {
    progress.hidden = true;
    toast(`${file.name} did not arrive: it may be too large, or the studio is gone.`, "bad");
    unreachable(new Error("upload"));
  };
  sending.send(file);
}

document.getElementById("file").addEventListener("change", (event) => bring(event.target.files[0]));
for (const name of ["dragover", "dragenter"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); bring(event.dataTransfer.files[0]); });

if (!document.querySelector("[data-pending]")) listen("table", otherTable);
