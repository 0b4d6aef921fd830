import { byId, htmlById, make } from '../dom.ts';

const classes: Readonly<Record<string, string>> = { '@': 'falling', ':': 'ghost', '.': 'empty' };

/** The tokens of the last prompt, as the tokenizer cut them. Written only while it is open. */
export class PromptPanel {
  readonly #details = byId('prompt-details', HTMLDetailsElement);
  readonly #prompt = htmlById('prompt');
  readonly #count = htmlById('prompt-count');
  #tokens: readonly string[] = [];

  constructor() {
    this.#details.addEventListener('toggle', () => {
      this.#write();
    });
  }

  show(tokens: readonly string[]): void {
    this.#tokens = tokens;
    this.#count.textContent = `${tokens.length} tokens`;
    this.#write();
  }

  #write(): void {
    if (this.#details.open) this.#prompt.replaceChildren(...this.#tokens.map(nodeOf));
  }
}

function nodeOf(token: string): Node | string {
  if (/^<.+>$/.test(token)) return make('span', 'special', token);
  if (token === '\n') return make('span', 'newline', '↵\n');
  const name = classes[token];
  return name === undefined ? token : make('span', name, token);
}
