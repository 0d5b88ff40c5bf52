// The reference of settings names whatever any program of this repository takes from the environment.

import { expect, test } from 'vitest'
import { repositoryTexts } from './support/repository.ts'

const texts = repositoryTexts()
const reference = texts.find(({ path }) => path === 'docs/reference/configuration.md')?.text ?? ''
const named = new Set(reference.match(/--[a-z-]+|[A-Z][A-Z_]+/g))

/** Of the machine, of Node, or of an example that stands for somebody else's program. */
const notOurs = [
  ...['PATH', 'TZ', 'NODE_ENV', 'NODE_DEBUG', 'NODE_COMPILE_CACHE', 'PORT'],
  ...['PROVIDER_SECRET', 'WEBHOOK_SECRET', 'CHECKOUT_SECRET', 'TEST_TOKEN', 'TEST_URL'],
]

test('every variable that a program reads is in the reference', () => {
  const read = texts
    .filter(({ path }) => /^(packages|scripts|bench)\/.*(\.tsx?|\/bin\/[^/]+\.js)$/.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\b(?:process\.env|environment|env)\.([A-Z][A-Z_]+)/g)])
    .map(([, name = '']) => name)

  expect(read).toEqual(expect.arrayContaining(['NATS_SERVER_BIN', 'XDG_CACHE_HOME']))
  expect(read.filter((name) => !named.has(name) && !notOurs.includes(name))).toEqual([])
})

test('so are the variables of compose.yaml and the options of the simulator', () => {
  const textOf = (wanted: string) => texts.find(({ path }) => path === wanted)?.text ?? ''
  const variables = [...textOf('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name)
  const simulator = textOf('packages/simulator/src/main.ts')
  const options = [...simulator.matchAll(/^ {4}'?([a-z-]+)'?: \{ type:/gm)].map(([, name]) => `--${name}`)

  expect([variables.length, options.length].every((count) => count >= 4)).toBe(true)
  expect([...variables, ...options].filter((name) => !named.has(name))).toEqual([])
})
