/**
 * ZIP archives without compression. An entry is written as soon as its content is known, and the directory at the end.
 * No side effects.
 */
import { crc32 } from 'node:zlib'

export type ZipEntry = {
  readonly name: string
  readonly size: number
  readonly crc: number
  /** The position of the entry in the archive. */
  readonly start: number
}

/**
 * The earliest date that the format can represent, because the content of an archive must not depend on the
 * time.
 */
const dosDate = 33
const utf8Names = 0x0800
const version = 20

/** The bytes of an entry, which starts at this position of the archive. */
export function encodeZipEntry(name: string, content: Uint8Array, start: number) {
  const entry: ZipEntry = { name, size: content.length, crc: crc32(content), start }
  const nameBytes = Buffer.from(name)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  writeCommon(header, 4, entry, nameBytes)
  return { entry, bytes: Buffer.concat([header, nameBytes, content]) }
}

/** The directory, which ends the archive. */
export function encodeZipEnd(entries: readonly ZipEntry[], start: number): Uint8Array {
  const directory = Buffer.concat(entries.map(directoryRecord))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(start, 16)
  return Buffer.concat([directory, end])
}

function directoryRecord(entry: ZipEntry): Buffer {
  const nameBytes = Buffer.from(entry.name)
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(version, 4)
  writeCommon(record, 6, entry, nameBytes)
  record.writeUInt32LE(entry.start, 42)
  return Buffer.concat([record, nameBytes])
}

/** The members that an entry and its record in the directory share. */
function writeCommon(target: Buffer, at: number, { size, crc }: ZipEntry, nameBytes: Uint8Array): void {
  target.writeUInt16LE(version, at)
  target.writeUInt16LE(utf8Names, at + 2)
  target.writeUInt16LE(dosDate, at + 8)
  target.writeUInt32LE(crc, at + 10)
  target.writeUInt32LE(size, at + 14)
  target.writeUInt32LE(size, at + 18)
  target.writeUInt16LE(nameBytes.length, at + 22)
}
