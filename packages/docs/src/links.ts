/**
 * Turns links of a page to where the site has what they lead to. A file of the repository that the site does not
 * have is named by its path: there is no host that we could promise to have it.
 */
import type { Token } from 'markdown-it'
import { type Places, pathOf, type Target, targetOf, twinOf } from './address.ts'
import { sizeOf } from './picture-size.ts'

export type Library = Places & { readonly bytesOf: (file: string) => Buffer | undefined }

/** The links and pictures of `tokens`, which are changed. */
export function turnLinks(tokens: readonly Token[], source: string, library: Library): void {
  for (const children of tokens.flatMap((token) => (token.children === null ? [] : [token.children])))
    for (const [index, token] of children.entries()) {
      if (token.type === 'image') turnPicture(token, source, library)
      if (token.type === 'link_open') turnLink(children.slice(index), source, library)
    }
}

/** `tokens` begins with the link. */
function turnLink(tokens: readonly Token[], source: string, library: Library): void {
  const [open] = tokens as [Token]
  const target = targetOf(source, String(open.attrGet('href')), library)
  if (target.is === 'elsewhere') open.attrSet('rel', 'noreferrer')
  if (target.is !== 'source') {
    open.attrSet('href', hrefOf(target))
    return
  }
  const end = tokens.findIndex(({ type }) => type === 'link_close')
  namePath(tokens.slice(0, end + 1), target.path)
}

function hrefOf(target: Exclude<Target, { is: 'source' }>): string {
  switch (target.is) {
    case 'page':
      return `${pathOf(target.address)}${target.anchor}`
    case 'file':
      return target.path
    case 'elsewhere':
      return target.href
  }
}

/** What was a link becomes its words and the path; a link whose words are code becomes the path alone. */
function namePath(link: readonly Token[], path: string): void {
  const [open, words, close] = [link[0] as Token, link[1] as Token, link.at(-1) as Token]
  open.type = 'text'
  open.content = ''
  close.type = words.type === 'code_inline' ? 'text' : 'source_path'
  close.content = words.type === 'code_inline' ? '' : path
  if (words.type === 'code_inline') words.content = path
}

function turnPicture(token: Token, source: string, library: Library): void {
  const target = targetOf(source, String(token.attrGet('src')), library)
  if (target.is !== 'file')
    throw new Error(`${source} shows a picture that is not there: ${token.attrGet('src')}`)
  token.attrSet('src', target.path)
  token.attrSet('loading', 'lazy')
  const bytes = library.bytesOf(target.source)
  const size = bytes === undefined ? null : sizeOf(target.source, bytes)
  if (size === null) return
  token.attrSet('width', String(Math.round(size.width)))
  token.attrSet('height', String(Math.round(size.height)))
}

/** Pure. The Markdown of a page with its links turned to the Markdown of others: what lies at `twinOf`. */
export function turnMarkdown(source: string, text: string, places: Places): string {
  return text.replaceAll(codeOrLink, (whole, mark, words, href) => {
    if (href === undefined) return whole
    const target = targetOf(source, href, places)
    if (target.is === 'source')
      return words.startsWith('`') ? `\`${target.path}\`` : `${words} (\`${target.path}\`)`
    const to = target.is === 'page' ? `${twinOf(target.address)}${target.anchor}` : hrefOf(target)
    return `${mark}[${words}](${to})`
  })
}

/** A block of code, a link or a picture, a code in a line. Whichever begins first holds what is inside it. */
const codeOrLink = /^```.*?^```\s*?$|(!?)\[((?:`[^`\n]*`|[^[\]`])*)\]\(([^)\s]+)\)|`[^`\n]*`/gms
