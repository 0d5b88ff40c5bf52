/** Maps files of the repository to URLs of the site. Both must stay stable, because other pages link to them. */
import { posix } from 'node:path'

/** The base path of the site. */
export const base = '/docs'

/**
 * The path under the base, without a slash at either end; empty for the home page. Errors, events and operations are at
 * the top level, because API responses contain the URL of their error code. Has no side effects.
 */
export function addressOf(source: string): string {
  if (!source.startsWith('docs/')) return source.replace(/(\/README)?\.md$/, '').toLowerCase()
  return source
    .slice('docs/'.length)
    .replace(/^reference\/(?=(?:api|errors|events)\/)/, '')
    .replace(/(?:^|\/)README\.md$/, '')
    .replace(/\.md$/, '')
}

export function pathOf(address: string): string {
  return `${base}/${address}`
}

/** The URL of the Markdown version of a page. */
export function markdownUrlOf(address: string): string {
  return `${pathOf(address === '' ? 'index' : address)}.md`
}

/** The target of a link: another page, a file of the site, a file of the repository, or an external URL. */
export type Target =
  | { readonly kind: 'page'; readonly address: string; readonly anchor: string }
  | { readonly kind: 'file'; readonly path: string; readonly source: string }
  | { readonly kind: 'source'; readonly path: string }
  | { readonly kind: 'external'; readonly href: string }

/** The possible targets of links. */
export type LinkTargets = { readonly pages: ReadonlySet<string>; readonly files: ReadonlySet<string> }

/** Resolves an `href` in the file `source`, to which it is relative. Has no side effects. */
export function targetOf(source: string, href: string, { pages, files }: LinkTargets): Target {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return { kind: 'external', href }
  const [file = '', fragment = ''] = href.split('#')
  const anchor = fragment === '' ? '' : `#${fragment}`
  const path = file === '' ? source : posix.join(posix.dirname(source), decodeURI(file)).replace(/\/$/, '')
  // A link to a folder leads to its README.
  const page = [path, `${path}/README.md`].find((candidate) => pages.has(candidate))
  if (page !== undefined) return { kind: 'page', address: addressOf(page), anchor }
  // The server generates this file, with its own URL in it.
  if (path === 'openapi.json') return { kind: 'file', path: '/openapi.json', source: path }
  if (files.has(path)) return { kind: 'file', path: pathOf(addressOf(path)), source: path }
  return { kind: 'source', path }
}
