// The settings reference documents every environment variable that a program of this repository reads.

import { expect, test } from 'vitest'
import { repositoryTexts } from './support/repository.ts'

const texts = repositoryTexts()
const reference = texts.find(({ path }) => path === 'docs/reference/configuration.md')?.text ?? ''
const documented = new Set(reference.match(/--[a-z-]+|[A-Z][A-Z_]+/g))

/** Variables of the operating system, of Node.js, or of examples. They are not settings of Switchyard. */
const notSettings = [
  'PATH',
  'TZ',
  'NODE_ENV',
  'NODE_DEBUG',
  'NODE_COMPILE_CACHE',
  'HOME',
  // Set by the test run.
  'SWITCHYARD_TEST_BUNDLES',
  'SWITCHYARD_TEST_CRASHES',
  'SWITCHYARD_TEST_COMPLETE',
  'INVOICE_CASES',
  'INVOICE_SEED',
  'E_INVOICES',
  'PDF_FOLDER',
  'PORT',
  'PROVIDER_SECRET',
  'WEBHOOK_SECRET',
  'CHECKOUT_SECRET',
  'TEST_TOKEN',
  'TEST_URL',
]

test('the reference documents every environment variable that a program reads', () => {
  const read = texts
    .filter(({ path }) => /^(packages|scripts|bench)\/.*(\.tsx?|\/bin\/[^/]+\.js)$/.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\b(?:process\.env|environment|env)\.([A-Z][A-Z_]+)/g)])
    .map(([, name = '']) => name)

  expect(read).toEqual(expect.arrayContaining(['NATS_SERVER_BIN', 'XDG_CACHE_HOME']))
  expect(read.filter((name) => !documented.has(name) && !notSettings.includes(name))).toEqual([])
})

test('the reference documents the variables of compose.yaml and the options of the simulator', () => {
  const readText = (wantedPath: string) => texts.find(({ path }) => path === wantedPath)?.text ?? ''
  const variables = [...readText('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name)
  const simulator = readText('packages/simulator/src/main.ts')
  const options = [...simulator.matchAll(/^ {4}'?([a-z-]+)'?: \{ type:/gm)].map(([, name]) => `--${name}`)

  expect([variables.length, options.length].every((count) => count >= 4)).toBe(true)
  expect([...variables, ...options].filter((name) => !documented.has(name))).toEqual([])
})
