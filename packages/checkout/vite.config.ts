// Builds the payment page or the frame of the payment element: one HTML file with an inline stylesheet, so that the
// first paint needs no other file; one script; one translation file for each language except English; and one script
// for each kind of card fields, loaded on demand. Script and translations have a content hash in their names and an
// integrity hash, so that a browser rejects modified files. Browsers do not check the integrity of scripts that a
// script imports.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

export const target = ['es2023', 'chrome111', 'firefox114', 'safari16.4']
const locales = resolve(import.meta.dirname, 'locales')

/** The document `html` of this folder, whose files are served below `base`. */
export const pageConfig = (html: string, base: string): UserConfig => ({
  root: import.meta.dirname,
  base,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target,
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: true,
    rolldownOptions: { input: resolve(import.meta.dirname, html) },
  },
  plugins: [plainImports(), localesPlugin(base), inlineStyles(html, base)],
})

export default defineConfig(pageConfig('index.html', '/checkout/'))

/** Replaces the helper with which Vite preloads the dependencies of dynamic imports. The scripts here have none. */
function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: (id) =>
      id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load()' : null,
  }
}

/** `virtual:locales`: the URL and integrity hash of the translations of each language. */
function localesPlugin(base: string): Plugin {
  const id = '\0virtual:locales'
  return {
    name: 'locales',
    resolveId: (source) => (source === 'virtual:locales' ? id : null),
    load(source) {
      if (source !== id) return null
      const english = readMessages('en')
      const others = readdirSync(locales)
        .map((file) => basename(file, '.json'))
        .filter((tag) => tag !== 'en')
      const files = others.map((tag) => {
        const messages = readMessages(tag)
        requireSameKeys(tag, messages, english)
        const text = JSON.stringify(messages)
        const fileName = `assets/${tag}-${digest('sha256', text, 'hex').slice(0, 8)}.json`
        this.emitFile({ type: 'asset', fileName, source: text })
        return [tag, { url: base + fileName, integrity: integrityOf(text) }]
      })
      return `export default ${JSON.stringify(Object.fromEntries(files))}`
    },
  }
}

/** Inlines the stylesheet, and adds the integrity hash of the script. */
function inlineStyles(html: string, base: string): Plugin {
  const fileIn = (tag: string) => tag.split(base)[1]?.split('"')[0] ?? ''
  return {
    name: 'inline-styles',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle[html]
      if (page?.type !== 'asset') throw new Error(`The build produced no ${html}.`)
      page.source = String(page.source)
        .replace(/<link rel="stylesheet"[^>]*>/, (tag) => {
          const file = fileIn(tag)
          const sheet = bundle[file]
          if (sheet?.type !== 'asset') throw new Error(`The build produced no ${file}.`)
          delete bundle[file]
          return `<style>${String(sheet.source).trim()}</style>`
        })
        .replace(/\n\s+/g, '\n')
    },
    // The script is complete only after it is written: Vite changes dynamic imports at the end.
    writeBundle({ dir = '' }) {
      const file = resolve(dir, html)
      const page = readFileSync(file, 'utf8').replace(/<script type="module"[^>]*>/, (tag) => {
        const name = fileIn(tag)
        const integrity = integrityOf(readFileSync(resolve(dir, name), 'utf8'))
        return `<script type="module" src="${base}${name}" integrity="${integrity}">`
      })
      writeFileSync(file, page)
    },
  }
}

type Messages = Record<string, string | Record<string, string>>

function readMessages(tag: string): Messages {
  return JSON.parse(readFileSync(resolve(locales, `${tag}.json`), 'utf8'))
}

/** Requires that a language has the same keys and placeholders as English. */
function requireSameKeys(tag: string, messages: Messages, english: Messages): void {
  const mismatched = Object.keys({ ...english, ...messages }).filter(
    (key) => placeholdersIn(messages[key]) !== placeholdersIn(english[key]),
  )
  if (mismatched.length > 0)
    throw new Error(`locales/${tag}.json differs from en.json in: ${mismatched.join(', ')}`)
}

function placeholdersIn(text: Messages[string] | undefined): string {
  if (text === undefined) return 'missing'
  // Plural forms differ between languages, and some write the number as a word.
  if (typeof text !== 'string') return 'forms'
  return [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()
}

function integrityOf(text: string): string {
  return `sha256-${digest('sha256', text, 'base64')}`
}

function digest(algorithm: string, text: string, encoding: 'hex' | 'base64'): string {
  return createHash(algorithm).update(text).digest(encoding)
}
