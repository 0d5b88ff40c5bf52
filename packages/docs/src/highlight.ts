/**
 * Syntax highlighting at build time. Tokens get classes instead of inline styles, which the content security policy
 * forbids. The colours of the classes come from the theme.
 */
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import json from '@shikijs/langs/json'
import python from '@shikijs/langs/python'
import shell from '@shikijs/langs/shellscript'
import sql from '@shikijs/langs/sql'
import typescript from '@shikijs/langs/typescript'
import yaml from '@shikijs/langs/yaml'
import { codeToTokensBase, createShikiPrimitive, type ThemedToken } from '@shikijs/primitive'
import { escapeHtml } from './escape.ts'

/** The "colour" of a rule is the class of its tokens. */
const theme = {
  name: 'classes',
  type: 'light' as const,
  colors: { 'editor.foreground': 'plain', 'editor.background': 'plain' },
  tokenColors: [
    { scope: ['comment'], settings: { foreground: 'comment' } },
    { scope: ['string', 'constant.character'], settings: { foreground: 'string' } },
    { scope: ['constant.numeric', 'constant.language'], settings: { foreground: 'constant' } },
    { scope: ['keyword', 'storage'], settings: { foreground: 'keyword' } },
    { scope: ['keyword.operator', 'string.unquoted.argument'], settings: { foreground: 'plain' } },
    { scope: ['entity.name.function', 'support.function'], settings: { foreground: 'function' } },
    { scope: ['entity.name.type', 'support.type', 'support.class'], settings: { foreground: 'type' } },
    { scope: ['variable.other.normal.shell', 'variable.other.assignment'], settings: { foreground: 'type' } },
    {
      scope: ['support.type.property-name.json', 'entity.name.tag.yaml', 'meta.object-literal.key'],
      settings: { foreground: 'key' },
    },
    {
      scope: ['punctuation.support.type.property-name.json', 'punctuation.definition.variable.shell'],
      settings: { foreground: 'key' },
    },
  ],
}

const shiki = createShikiPrimitive({
  themes: [theme],
  langs: [json, python, shell, sql, typescript, yaml].flat(),
  engine: createJavaScriptRegexEngine(),
})

const names: { readonly [info: string]: string } = {
  json: 'json',
  py: 'python',
  python: 'python',
  sh: 'shellscript',
  bash: 'shellscript',
  sql: 'sql',
  ts: 'typescript',
  js: 'typescript',
  yaml: 'yaml',
  yml: 'yaml',
}

/** The highlighted lines of `code` as HTML. Unknown languages are not highlighted. */
export function highlight(code: string, language: string): string {
  const lang = names[language]
  if (lang === undefined) return escapeHtml(code)
  // No time limit: with a limit, some lines would not be highlighted on a busy machine, and builds would differ.
  const lines = codeToTokensBase(shiki, code, { lang, theme: 'classes', tokenizeTimeLimit: 0 })
  return lines.map(lineOf).join('\n')
}

/** Merges neighbouring tokens of the same class, to keep pages small. */
function lineOf(tokens: readonly ThemedToken[]): string {
  const runs: { kind: string; text: string }[] = []
  for (const { color = 'plain', content } of tokens) {
    const last = runs.at(-1)
    // Whitespace has no visible colour, so it joins the token before it.
    if (last !== undefined && (last.kind === color || content.trim() === '')) last.text += content
    else runs.push({ kind: color, text: content })
  }
  return runs
    .map(({ kind, text }) =>
      kind === 'plain' ? escapeHtml(text) : `<span class="hl-${kind}">${escapeHtml(text)}</span>`,
    )
    .join('')
}
