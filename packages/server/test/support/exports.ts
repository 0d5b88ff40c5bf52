// Creates exports and runs them to the end.

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
