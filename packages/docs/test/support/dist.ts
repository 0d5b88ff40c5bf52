// Reads the built site from disk, with the possible targets of links.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const dist = resolve(import.meta.dirname, '../../dist')

/** The content of each file in `pages`, by path. */
export const files = readAll(join(dist, 'pages'))
export const assets = readAll(join(dist, 'assets'))
export const htmlPages = [...files]
  .filter(([path]) => path.endsWith('.html'))
  .map(([path, bytes]) => ({ path, html: bytes.toString('utf8') }))

/** The URL path of a page. */
export function addressOf(path: string): string {
  return path === 'index.html' ? '/docs/' : `/docs/${path.replace(/\.html$/, '')}`
}

/** The URLs in attributes of a page: links and loaded files. */
export function linksIn(html: string): string[] {
  return [...html.matchAll(/\s(?:href|src|data-search-index)="([^"]*)"/g)].map(([, address]) =>
    (address as string).replaceAll('&amp;', '&'),
  )
}

export function idsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id as string))
}

function readAll(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  )
}
