// A new connector can be imported, treats every response as inconclusive, and fails exactly the checks of the
// parts that its author has to fill in.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checklistOf } from '../../packages/server/src/providers/checklist.ts'
import {
  type Check,
  conformanceOf,
  interpret,
  type Kit,
} from '../../packages/server/src/providers/conformance.ts'
import type { ConnectorPage } from '../../packages/server/src/providers/connector-page.ts'
import type { ConnectorConfig, Provider } from '../../packages/server/src/providers/contract.ts'
import { registryOf } from '../../packages/server/src/providers/registry.ts'
import { createProvider, filesOf } from './create.ts'
import { instructionsFor } from './instructions.ts'
import { namesOf, type ProviderNames } from './names.ts'

const root = resolve(import.meta.dirname, '../..')
const names: ProviderNames = { folder: 'acme-pay', id: 'acme_pay', variable: 'acmePay', name: 'Acme Pay' }

/**
 * A copy of the source folder that consists of links, so that the imports of the new files work. Git ignores it, so that
 * the guards do not find the connector.
 */
const ignored = join(root, '.switchyard')
mkdirSync(ignored, { recursive: true })
const source = mkdtempSync(join(ignored, 'new-provider-'))
const providers = join(source, 'providers')
linkAll('packages/server/src', source, 'providers')
mkdirSync(providers)
linkAll('packages/server/src/providers', providers)
const fault = createProvider(providers, names)

afterAll(() => rmSync(source, { recursive: true, force: true }))

function linkAll(from: string, to: string, except?: string): void {
  for (const entry of readdirSync(join(root, from)).filter((name) => name !== except))
    symlinkSync(join(root, from, entry), join(to, entry))
}

test('the folder is created once', () => {
  expect(fault).toBeNull()
  expect(createProvider(providers, names)).toMatch(/acme-pay already exists/)
})

describe('the new connector', async () => {
  const load = (path: string) => import(join(providers, names.folder, path))
  const { acmePay: provider }: { acmePay: Provider<ConnectorConfig> } = await load('provider.ts')
  const { kit }: { kit: Kit<ConnectorConfig> } = await load('fixtures/kit.ts')
  const { page }: { page: ConnectorPage } = await load('page.ts')
  const failed = (checks: readonly Check[]) =>
    checks.filter(({ fault }) => fault() !== null).map(({ name }) => name)

  test('has the names of the command', () => {
    expect([provider.id, provider.setup?.name]).toEqual(['acme_pay', 'Acme Pay'])
  })

  test('has no capabilities, and cannot be registered', () => {
    const { kinds, currencies, brands, countries, amount, ...features } = provider.capabilities

    expect([kinds, currencies]).toEqual([[], []])
    expect(new Set(Object.values(features))).toEqual(new Set([false]))
    expect(() => registryOf([provider])).toThrow('could never be resolved')
  })

  test('treats every response as unknown, and every webhook as invalid', () => {
    const { webhooks } = provider
    const call = { method: 'POST', path: '/', headers: {}, body: Buffer.from('{}') }
    const context = { config: kit.config, now: kit.now, certificate: null }

    for (const status of [200, 201, 202, 400, 401, 402, 403, 404, 409, 422, 429, 500, 503])
      for (const step of ['authorize', 'lookup'] as const) {
        const reply = { status, headers: {}, body: '{"status":"succeeded"}' }
        expect(interpret(provider as Provider, { step, input: null, reply }).is).toBe('unknown')
      }
    expect(webhooks?.verify(call, context)).toBe('invalid')
    expect(() => webhooks?.parse(call.body)).toThrow('not interpreted yet')
  })

  test('fails the checks that the author has to fill in', () => {
    expect(failed(checklistOf({ provider, kit, page }))).toEqual([
      'setup: a credential for calls',
      'setup: the provider’s base URL',
      'currencies: the supported ones',
      'capabilities: authorize',
      'webhooks: one in the kit',
      'responses: authorize, succeeded',
      'responses: authorize, declined',
      'responses: authorize, rejected',
      'responses: authorize, unknown',
      'responses: lookup, succeeded',
      'responses: lookup, unknown',
      'declines: the table of codes',
      'page: sources with dates',
    ])
    expect(failed(conformanceOf(provider, kit))).toEqual([
      'the provider can be registered',
      'every step has a golden call',
      'a card vault can put the card number into the calls, or the provider states the obstacle',
    ])
  })
})

describe('the files', () => {
  const kitFiles = [
    'currencies.ts',
    'declines.ts',
    'fixtures/inputs.ts',
    'fixtures/kit.ts',
    'fixtures/replies.ts',
    'mutants.test.ts',
    'page.ts',
    'provider.test.ts',
    'provider.ts',
    'request.ts',
    'response.ts',
    'webhooks.ts',
  ]

  test('match the kit, without placeholders', () => {
    const files = filesOf(names)

    expect([...files.keys()]).toEqual(kitFiles)
    expect([...files].filter(([, text]) => /\{\{|\}\}\}/.test(text)).map(([path]) => path)).toEqual([])
  })

  test.each(['ab', 'abcdefghijklmnopqrstuvwxyz-012'])(
    'are formatted, even if the connector is called %s',
    (folder) => {
      const valid = namesOf(folder, folder) as ProviderNames
      createProvider(providers, valid)
      const biome = join(root, 'node_modules/.bin/biome')
      const options = ['format', '--vcs-enabled=false', join(providers, folder)]

      expect(() => execFileSync(biome, options, { cwd: root, stdio: 'pipe' })).not.toThrow()
    },
  )

  test('are listed in the instructions', () => {
    const instructions = instructionsFor(names)
    const helperFiles = ['fixtures/inputs.ts', 'provider.test.ts']

    expect(kitFiles.filter((path) => !instructions.includes(` ${path} `))).toEqual(helperFiles)
    expect(instructions).toContain('npx vitest run packages/server/src/providers/acme-pay')
    expect(instructions).toContain('add acme_pay to the names of connectors')
    expect(instructions).toContain('add acmePay to the connectors')
  })
})

describe('names', () => {
  test('are derived from the folder', () => {
    expect(namesOf('checkout-com', 'Checkout.com')).toEqual({
      folder: 'checkout-com',
      id: 'checkout_com',
      variable: 'checkoutCom',
      name: 'Checkout.com',
    })
    expect(namesOf('acme-pay')).toEqual(names)
  })

  const invalid = [
    '',
    'a',
    'Acme',
    '1pay',
    'acme_pay',
    'acme--pay',
    '-acme',
    'acme-',
    '../acme',
    'a b',
    'é',
    'a'.repeat(31),
  ]

  test.each(invalid)('"%s" is not a valid name', (folder) => {
    expect(namesOf(folder, 'Acme')).toMatch('is not a valid name')
  })

  test.each(['class', 'simulator', 'custom'])('"%s" is reserved', (folder) => {
    expect(namesOf(folder, 'Acme')).toMatch('reserved')
  })

  test.each(['', "O'Pay", 'A\nB', '`', 'x'.repeat(31)])('"%s" is not a valid display name', (name) => {
    expect(namesOf('acme', name)).toMatch('is not a valid display name')
  })

  test.each(['webhooks', 'authorize', 'setup'])('"%s" is the name of something in the template', (folder) => {
    const existing = readdirSync(providers)

    expect(createProvider(providers, namesOf(folder, 'Acme') as ProviderNames)).toMatch('something else')
    expect(readdirSync(providers)).toEqual(existing)
  })
})

test('the command explains how it is used, and what is wrong', () => {
  const run = (...args: string[]) => {
    try {
      return execFileSync(process.execPath, [join(root, 'scripts/new-provider.ts'), ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
      })
    } catch (error) {
      return (error as { stderr: string }).stderr
    }
  }

  expect(run()).toMatch(/^Usage: npm run new:provider/)
  expect(run('stripe')).toMatch(/stripe already exists/)
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toContain(
    '"new:provider": "node scripts/new-provider.ts"',
  )
})
