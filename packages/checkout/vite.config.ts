// How the page is built: one HTML file with its stylesheet inside, so that the first paint waits for nothing else;
// one script; and a file of words for each language but English. Script and words are named by their content and
// carry its hash, so that a browser refuses what is not exactly what was built.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const base = '/checkout/'
const locales = resolve(import.meta.dirname, 'locales')

export default defineConfig({
  root: import.meta.dirname,
  base,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: ['es2023', 'chrome111', 'firefox114', 'safari16.4'],
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
  plugins: [words(), whole()],
})

/** `virtual:locales`: where the words of each language are, and the hash they must have. */
function words(): Plugin {
  const id = '\0virtual:locales'
  return {
    name: 'words',
    resolveId: (source) => (source === 'virtual:locales' ? id : null),
    load(source) {
      if (source !== id) return null
      const english = readWords('en')
      const others = readdirSync(locales)
        .map((file) => basename(file, '.json'))
        .filter((tag) => tag !== 'en')
      const files = others.map((tag) => {
        const found = readWords(tag)
        requireSameWords(tag, found, english)
        const text = JSON.stringify(found)
        const fileName = `assets/${tag}-${digest('sha256', text, 'hex').slice(0, 8)}.json`
        this.emitFile({ type: 'asset', fileName, source: text })
        return [tag, { url: base + fileName, integrity: integrityOf(text) }]
      })
      return `export default ${JSON.stringify(Object.fromEntries(files))}`
    },
  }
}

/** Puts the stylesheet into the page, and the hash of the script beside its address. */
function whole(): Plugin {
  return {
    name: 'whole',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('The build made no index.html.')
      page.source = String(page.source)
        .replace(/<link rel="stylesheet"[^>]*href="\/checkout\/([^"]+)"[^>]*>/, (_tag, file) => {
          const sheet = bundle[file]
          if (sheet?.type !== 'asset') throw new Error(`The build made no ${file}.`)
          delete bundle[file]
          return `<style>${String(sheet.source).trim()}</style>`
        })
        .replace(/<script type="module"[^>]*src="\/checkout\/([^"]+)"[^>]*>/, (_tag, file) => {
          const script = bundle[file]
          if (script?.type !== 'chunk') throw new Error(`The build made no ${file}.`)
          return `<script type="module" src="${base}${file}" integrity="${integrityOf(script.code)}">`
        })
        .replace(/\n\s+/g, '\n')
    },
  }
}

type Words = Record<string, string | Record<string, string>>

function readWords(tag: string): Words {
  return JSON.parse(readFileSync(resolve(locales, `${tag}.json`), 'utf8'))
}

/** A language says all that English says, and fills in the same things. */
function requireSameWords(tag: string, found: Words, english: Words): void {
  const wrong = Object.keys({ ...english, ...found }).filter(
    (word) => blanksIn(found[word]) !== blanksIn(english[word]),
  )
  if (wrong.length > 0) throw new Error(`locales/${tag}.json differs from en.json in: ${wrong.join(', ')}`)
}

function blanksIn(text: Words[string] | undefined): string {
  if (text === undefined) return 'missing'
  // Of the forms of a plural each language has its own, and some name the number by a word.
  if (typeof text !== 'string') return 'forms'
  return [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()
}

function integrityOf(text: string): string {
  return `sha384-${digest('sha384', text, 'base64')}`
}

function digest(algorithm: string, text: string, encoding: 'hex' | 'base64'): string {
  return createHash(algorithm).update(text).digest(encoding)
}
