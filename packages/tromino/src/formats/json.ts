/** What JSON text can hold. Numbers may be NaN or infinite, since Python writes them so. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
