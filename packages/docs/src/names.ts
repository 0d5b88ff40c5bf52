/**
 * Where the codes of the API are told of: errors, events, operations. A code that stands in a text becomes a link
 * to its page, so that no writer has to think of it and none goes stale.
 */
import type { Token } from 'markdown-it'
import { addressOf, pathOf } from './address.ts'
import { anchorFor } from './anchor.ts'

export type Names = ReadonlyMap<string, string>

/** What could as well be a word, such as `conflict`, is no name here. */
const isCode = (name: string): boolean => /[._]/.test(name)

const operation =
  /^## (.+)\n\n`(?:GET|POST|PUT|PATCH|DELETE) [^`]*`[^\n]*?in logs `([a-z0-9_]+(?:\.[a-z0-9_]+)+)`/gm

/** Pure. By name, where its page or its heading is. */
export function namesIn(pages: ReadonlyMap<string, string>): Names {
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

/** Codes of `tokens` become links, which changes them; not in headings, not in links, and not to the page itself. */
export function linkNames(tokens: readonly Token[], names: Names, own: string): void {
  const texts = tokens.filter((_, index) => tokens[index - 1]?.type !== 'heading_open')
  for (const code of texts.flatMap(({ children }) => codesOutsideLinks(children ?? []))) {
    const to = names.get(code.content)
    if (to === undefined || to.split('#', 1)[0] === own) continue
    code.type = 'code_link'
    code.attrSet('href', to)
  }
}

function codesOutsideLinks(children: readonly Token[]): Token[] {
  let depth = 0
  return children.filter(({ type, nesting }) => {
    if (type === 'link_open' || type === 'link_close') depth += nesting
    return type === 'code_inline' && depth === 0
  })
}
