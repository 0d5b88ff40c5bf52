// Creates exports and runs them to the end.

import { crc32 } from 'node:zlib'
import { expect } from 'vitest'
import type { Deps } from '../../src/deps.ts'
import { runExport } from '../../src/domains/finance/exports/service/run.ts'
import type { Id } from '../../src/kernel/id.ts'
import type { ApiResponse } from './switchyard.ts'

type Post = (path: string, body?: unknown) => Promise<ApiResponse>

/** Creates an export of November 2026, the month of the manual clock, and runs it. Returns its id. */
export async function createFinishedExport(
  deps: Deps,
  workspaceId: string,
  post: Post,
  members: object,
): Promise<string> {
  const period = { from: '2026-11-01', to: '2026-11-30' }
  const { status, body } = await post('/exports', { of: 'payments', format: 'csv', ...period, ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  await runExport(deps, { workspaceId: workspaceId as Id<'workspace'>, id: body.id as Id<'export'> })
  return body.id
}

/** The bytes of the file of a finished export, downloaded with its link. */
export async function downloadExport(
  { get }: { readonly get: (path: string) => Promise<ApiResponse> },
  id: string,
): Promise<{ readonly headers: Headers; readonly content: Buffer }> {
  const { status, body } = await get(`/exports/${id}/download`)
  expect(status, JSON.stringify(body)).toBe(200)
  const response = await fetch(body.url)
  expect(response.status).toBe(200)
  return { headers: response.headers, content: Buffer.from(await response.arrayBuffer()) }
}

/** Parses CSV as in RFC 4180. Every line must end with CRLF and have as many cells as the header. */
export function parseCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...lines] = cellsOf(text)
  return lines.map((cells) => {
    expect(cells).toHaveLength(header.length)
    return Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']))
  })
}

export function cellsOf(text: string): string[][] {
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  const lines: string[][] = [[]]
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (match === null) throw new Error('This is not CSV.')
    const [, quoted, plain = '', end] = match
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

/** The files of a ZIP archive without compression. Throws unless sizes and checksums match. */
export function unzip(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.length - 22
  expect(archive.readUInt32LE(end)).toBe(0x06054b50)
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50)
    const [crc, size] = [archive.readUInt32LE(at + 16), archive.readUInt32LE(at + 24)]
    const [nameLength, start] = [archive.readUInt16LE(at + 28), archive.readUInt32LE(at + 42)]
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    expect(archive.readUInt32LE(start)).toBe(0x04034b50)
    const content = archive.subarray(start + 30 + nameLength, start + 30 + nameLength + size)
    expect(crc32(content)).toBe(crc)
    files.set(name, content)
    at += 46 + nameLength
  }
  expect(at).toBe(end)
  return files
}
