/** The size of an image, so that a page can reserve space for it before it has loaded. */

export type Size = { readonly width: number; readonly height: number }

/** Null if the size is unknown or the file is not an image. Has no side effects. */
export function sizeOf(path: string, bytes: Buffer): Size | null {
  // The first chunk of a PNG has the size at a fixed position.
  if (path.endsWith('.png')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (!path.endsWith('.svg')) return null
  const box = /viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"/.exec(bytes.toString('utf8'))
  return box === null ? null : { width: Number(box[1]), height: Number(box[2]) }
}
