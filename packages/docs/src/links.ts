/**
 * Rewrites the links of a page to URLs of the site. A link to a repository file that is not part of the site becomes the
 * path of the file, because there is no URL for it.
 */
import type { Token } from 'markdown-it'
import { type LinkTargets, markdownUrlOf, pathOf, type Target, targetOf } from './address.ts'
import { sizeOf } from './image-size.ts'

export type Library = LinkTargets & { readonly bytesOf: (file: string) => Buffer | undefined }

/** Rewrites the links and images in `tokens` in place. */
export function rewriteLinks(tokens: readonly Token[], source: string, library: Library): void {
  for (const children of tokens.flatMap((token) => (token.children === null ? [] : [token.children])))
    for (const [index, token] of children.entries()) {
      if (token.type === 'image') rewriteImage(token, source, library)
      if (token.type === 'link_open') rewriteLink(children.slice(index), source, library)
    }
}

/** `tokens` starts with the link. */
function rewriteLink(tokens: readonly Token[], source: string, library: Library): void {
  const [open] = tokens as [Token]
  const target = targetOf(source, String(open.attrGet('href')), library)
  if (target.kind === 'external') open.attrSet('rel', 'noreferrer')
  if (target.kind !== 'source') {
    open.attrSet('href', hrefOf(target))
    return
  }
  const end = tokens.findIndex(({ type }) => type === 'link_close')
  replaceWithPath(tokens.slice(0, end + 1), target.path)
}

function hrefOf(target: Exclude<Target, { kind: 'source' }>): string {
  switch (target.kind) {
    case 'page':
      return `${pathOf(target.address)}${target.anchor}`
    case 'file':
      return target.path
    case 'external':
      return target.href
  }
}

/** Replaces a link with its text and the path. If the link text is code, only the path remains. */
function replaceWithPath(link: readonly Token[], path: string): void {
  const [open, label, close] = [link[0] as Token, link[1] as Token, link.at(-1) as Token]
  open.type = 'text'
  open.content = ''
  close.type = label.type === 'code_inline' ? 'text' : 'source_path'
  close.content = label.type === 'code_inline' ? '' : path
  if (label.type === 'code_inline') label.content = path
}

function rewriteImage(token: Token, source: string, library: Library): void {
  const target = targetOf(source, String(token.attrGet('src')), library)
  if (target.kind !== 'file')
    throw new Error(`${source} contains an image that does not exist: ${token.attrGet('src')}`)
  token.attrSet('src', target.path)
  token.attrSet('loading', 'lazy')
  const bytes = library.bytesOf(target.source)
  const size = bytes === undefined ? null : sizeOf(target.source, bytes)
  if (size === null) return
  token.attrSet('width', String(Math.round(size.width)))
  token.attrSet('height', String(Math.round(size.height)))
}

/**
 * The Markdown version of a page, with links to the Markdown versions of other pages (see `markdownUrlOf`). Has no side
 * effects.
 */
export function rewriteMarkdownLinks(source: string, text: string, targets: LinkTargets): string {
  return text.replaceAll(codeOrLink, (whole, imageMark, label, href) => {
    if (href === undefined) return whole
    const target = targetOf(source, href, targets)
    if (target.kind === 'source')
      return label.startsWith('`') ? `\`${target.path}\`` : `${label} (\`${target.path}\`)`
    const newHref =
      target.kind === 'page' ? `${markdownUrlOf(target.address)}${target.anchor}` : hrefOf(target)
    return `${imageMark}[${label}](${newHref})`
  })
}

/** Matches a code block, a link or image, or inline code. The first match wins, so links inside code are not changed. */
const codeOrLink = /^```.*?^```\s*?$|(!?)\[((?:`[^`\n]*`|[^[\]`])*)\]\(([^)\s]+)\)|`[^`\n]*`/gms
