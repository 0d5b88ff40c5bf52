/** How large a picture is, so that a page keeps its place for it and nothing jumps when it comes. */

export type Size = { readonly width: number; readonly height: number }

/** Pure. Null: it does not say, or is no picture. */
export function sizeOf(path: string, bytes: Buffer): Size | null {
  // The first chunk of a PNG says it, at a fixed place.
  if (path.endsWith('.png')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (!path.endsWith('.svg')) return null
  const box = /viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"/.exec(bytes.toString('utf8'))
  return box === null ? null : { width: Number(box[1]), height: Number(box[2]) }
}
