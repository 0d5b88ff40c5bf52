/**
 * Links codes of the API (errors, events, operations) to their reference pages automatically, so that authors do not
 * have to.
 */
import type { Token } from 'markdown-it'
import { addressOf, pathOf } from './address.ts'
import { anchorFor } from './anchor.ts'

export type ApiNames = ReadonlyMap<string, string>

/** A code that could be an ordinary word, such as `conflict`, is not linked. */
const isCode = (name: string): boolean => /[._]/.test(name)

const operation =
  /^## (.+)\n\n`(?:GET|POST|PUT|PATCH|DELETE) [^`]*`[^\n]*?In logs: `([a-z0-9_]+(?:\.[a-z0-9_]+)+)`/gm

/** The URL of the page or heading of each name. Has no side effects. */
export function namesIn(pages: ReadonlyMap<string, string>): ApiNames {
  const names = new Map<string, string>()
  for (const [source, text] of pages) {
    const path = pathOf(addressOf(source))
    const [, code = ''] = /^docs\/reference\/(?:errors|events)\/([a-z0-9_.]+)\.md$/.exec(source) ?? []
    if (isCode(code)) names.set(code, path)
    if (!source.startsWith('docs/reference/api/')) continue
    for (const [, heading = '', name = ''] of text.matchAll(operation))
      names.set(name, `${path}#${anchorFor(heading, new Set())}`)
  }
  return names
}

/** Turns codes in `tokens` into links, in place. Not in headings, not in links, and not to the page itself. */
export function linkApiNames(tokens: readonly Token[], names: ApiNames, ownPath: string): void {
  const texts = tokens.filter((_, index) => tokens[index - 1]?.type !== 'heading_open')
  for (const code of texts.flatMap(({ children }) => codesOutsideLinks(children ?? []))) {
    const url = names.get(code.content)
    if (url === undefined || url.split('#', 1)[0] === ownPath) continue
    code.type = 'code_link'
    code.attrSet('href', url)
  }
}

function codesOutsideLinks(children: readonly Token[]): Token[] {
  let depth = 0
  return children.filter(({ type, nesting }) => {
    if (type === 'link_open' || type === 'link_close') depth += nesting
    return type === 'code_inline' && depth === 0
  })
}
