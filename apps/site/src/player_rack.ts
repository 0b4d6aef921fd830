import type { Player } from './player.ts';

/** Loads the player whose checkpoint is at this address. */
export type LoadPlayer = (modelUrl: string) => Promise<Player>;

/**
 * The loaded players: the one that plays, and the dense one, which stays loaded beside another so that their choices can be compared.
 * The one that plays goes on until the next is there.
 */
export class PlayerRack {
  readonly #denseUrl: string;
  readonly #load: LoadPlayer;
  #playing: { readonly url: string; readonly player: Player } | undefined;
  #dense: Player | undefined;
  #wish = 0;

  constructor(denseUrl: string, load: LoadPlayer) {
    this.#denseUrl = denseUrl;
    this.#load = load;
  }

  /** The player that plays now. */
  get playing(): Player | undefined {
    return this.#playing?.player;
  }

  /** Where its checkpoint is. */
  get playingUrl(): string | undefined {
    return this.#playing?.url;
  }

  /** The dense player while another one plays. */
  get reference(): Player | undefined {
    return this.#dense === this.playing ? undefined : this.#dense;
  }

  /**
   * Puts another player in the place of the one that plays, which is disposed of unless it is the dense one.
   * @param install is given the new player before the old one goes.
   * @returns whether it plays: a later wish overtakes an earlier one.
   * @throws what loading throws; the old player plays on.
   */
  async play(url: string, install: (player: Player) => void): Promise<boolean> {
    const wish = ++this.#wish;
    const player = (url === this.#denseUrl ? this.#dense : undefined) ?? (await this.#load(url));
    if (wish !== this.#wish) {
      this.#keepOrDispose(player);
      return false;
    }
    const old = this.playing;
    this.#playing = { url, player };
    if (url === this.#denseUrl) this.#dense = player;
    install(player);
    if (old !== player) this.#keepOrDispose(old);
    return true;
  }

  /** Loads the dense player beside the one that plays, if it is not there. @throws what loading throws. */
  async loadReference(): Promise<void> {
    if (this.#dense !== undefined) return;
    const wish = this.#wish;
    const player = await this.#load(this.#denseUrl);
    if (wish === this.#wish) this.#dense ??= player;
    if (this.#dense !== player) player.dispose();
  }

  /** Disposes of all players; what is being loaded goes when it comes. */
  clear(): void {
    this.#wish++;
    this.#dense?.dispose();
    this.playing?.dispose();
    this.#dense = undefined;
    this.#playing = undefined;
  }

  #keepOrDispose(player: Player | undefined): void {
    if (player !== this.#dense) player?.dispose();
  }
}
