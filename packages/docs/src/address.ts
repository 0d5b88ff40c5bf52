/** From a file of the repository to its address on the site. Both are promises: links on other pages name them. */
import { posix } from 'node:path'

/** Below this the site is served. */
export const base = '/docs'

/**
 * Pure. The address below the base, without a slash at either end; the home has an empty one. Errors, events and
 * operations stand at the top: answers of the API name the address of their code.
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

/** Where the text of a page is, as Markdown. */
export function twinOf(address: string): string {
  return `${pathOf(address === '' ? 'index' : address)}.md`
}

/** What a link of a page leads to: another page, a file that the site has too, or a file of the repository. */
export type Target =
  | { readonly is: 'page'; readonly address: string; readonly anchor: string }
  | { readonly is: 'file'; readonly path: string; readonly source: string }
  | { readonly is: 'source'; readonly path: string }
  | { readonly is: 'elsewhere'; readonly href: string }

/** Where links may lead to. */
export type Places = { readonly pages: ReadonlySet<string>; readonly files: ReadonlySet<string> }

/** Pure. `href` as it stands in the file `source`, where it is relative to that file. */
export function targetOf(source: string, href: string, { pages, files }: Places): Target {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return { is: 'elsewhere', href }
  const [file = '', fragment = ''] = href.split('#')
  const anchor = fragment === '' ? '' : `#${fragment}`
  const path = file === '' ? source : posix.join(posix.dirname(source), decodeURI(file)).replace(/\/$/, '')
  // A link to a folder means the page that tells of it.
  const page = [path, `${path}/README.md`].find((candidate) => pages.has(candidate))
  if (page !== undefined) return { is: 'page', address: addressOf(page), anchor }
  // The server makes this one itself, with its own address in it.
  if (path === 'openapi.json') return { is: 'file', path: '/openapi.json', source: path }
  if (files.has(path)) return { is: 'file', path: pathOf(addressOf(path)), source: path }
  return { is: 'source', path }
}
