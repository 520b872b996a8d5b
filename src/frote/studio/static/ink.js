// The colours below the text: the same text, drawn in a place of its own, with words by their kind.

const WORDS = /#[^\n]*|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?[kKmM]?(?![\w.-])|[\p{L}\p{N}_][\p{L}\p{N}_.-]*|<=|>=|==|!=|<>|[<>=≤≥≠]/gu;

export class Ink {
  constructor(place, keywords) {
    this.place = place;
    this.keywords = new Set(keywords);
    this.node = document.createTextNode("");
    place.replaceChildren(this.node, document.createTextNode("\n"));
    this.kinds = typeof Highlight === "function" ? Object.fromEntries(["keyword", "quoted", "comment", "number", "sign", "fault", "here"].map((kind) => [kind, new Highlight()])) : {};
    for (const [kind, highlight] of Object.entries(this.kinds)) CSS.highlights.set(kind, highlight);
    if (this.kinds.fault) this.kinds.fault.priority = 2;
  }

  write(text) {
    this.node.nodeValue = text;
    for (const kind of Object.values(this.kinds)) kind.clear();
    if (!this.kinds.keyword || text.length > 200000) return;
    for (const match of text.matchAll(WORDS)) {
      const kind = this.kind(match[0]);
      if (kind) this.range(kind, match.index, match.index + match[0].length);
    }
  }

  mark(faults, start, stop) {
    if (!this.kinds.fault) return;
    this.kinds.fault.clear();
    this.kinds.here.clear();
    const end = this.node.length;
    for (const [from, to] of faults) this.range("fault", Math.min(from, end), Math.min(Math.max(to, from + 1), end + 1));
    if (start >= 0) this.range("here", start, stop);
  }

  kind(word) {
    if (word[0] === "#") return "comment";
    if (word[0] === "'" || word[0] === '"') return "quoted";
    if (/^[-+]?[.\d]/.test(word)) return "number";
    if (/^[<>=!≤≥≠]/.test(word)) return "sign";
    return this.keywords.has(word.toUpperCase()) ? "keyword" : "";
  }

  range(kind, start, stop) {
    const range = new StaticRange({ startContainer: this.node, startOffset: Math.min(start, this.node.length), endContainer: this.node, endOffset: Math.min(stop, this.node.length) });
    this.kinds[kind].add(range);
  }

  // Where a place in the text stands on the screen.
  box(place) {
    const range = document.createRange();
    const end = Math.min(place, this.node.length);
    range.setStart(this.node, end);
    range.setEnd(this.node, end);
    const boxes = range.getClientRects();
    return boxes.length ? boxes[boxes.length - 1] : this.place.getBoundingClientRect();
  }
}
