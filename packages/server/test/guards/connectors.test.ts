// All connectors have the same files, stay small, and are in the list of connectors.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectors } from '../../src/providers/connectors.ts'
import type { Provider } from '../../src/providers/contract.ts'
import { repositoryPaths, root, sourceFiles, withoutComments } from './support/repository.ts'

const providers = 'packages/server/src/providers'

const kitFiles = [
  'currencies.ts',
  'declines.ts',
  'fixtures/kit.ts',
  'mutants.test.ts',
  'page.ts',
  'provider.test.ts',
  'provider.ts',
  'request.ts',
  'response.ts',
  'webhooks.ts',
]
/**
 * The states and reasons of disputes, the list of operations, the setup of an account, the schemas of an API with many
 * objects, and the tests of complex webhooks. Fixtures may have any further files.
 */
const optionalFiles = ['disputes.ts', 'list.ts', 'setup.ts', 'wire.ts', 'webhooks.test.ts']
const tables = ['currencies.ts', 'declines.ts', 'disputes.ts', 'page.ts', 'setup.ts']

/**
 * Lines of code without tables, tests, fixtures, comments and blank lines. The goal is 600. Measured in November 2026:
 * Stripe 923, PayPal 765, Adyen 716, Checkout.com 673, Mollie 555. Until the code that they have in common is shared, the
 * limit is 1,000.
 * The list of operations, which only a reconciliation after a restore uses, has a limit of its own.
 */
const maxLines = 1_000
const maxLinesOfList = 100

const folders = connectors.map(({ id }) => id.replaceAll('_', '-'))
const paths = repositoryPaths()
const sources = sourceFiles()

test('every provider with a setup is in the list of connectors', async () => {
  const modules = paths.filter((path) => /^packages\/server\/src\/providers\/[^/]+\/provider\.ts$/.test(path))
  const withSetup: (string | undefined)[] = []
  for (const path of modules) {
    const exported: Readonly<Record<string, Partial<Provider>>> = await import(join(root, path))
    if (Object.values(exported).some(({ setup }) => setup !== undefined))
      withSetup.push(path.split('/').at(-2))
  }

  expect(modules).toContain(`${providers}/custom/provider.ts`)
  expect(withSetup).toEqual(folders.toSorted())
})

test.each(folders)('%s has exactly the files of the kit', (folder) => {
  const files = paths
    .filter((path) => path.startsWith(`${providers}/${folder}/`))
    .map((path) => path.slice(`${providers}/${folder}/`.length))
  const other = files.filter((path) => !path.startsWith('fixtures/') && !optionalFiles.includes(path))

  expect([...other, 'fixtures/kit.ts'].toSorted()).toEqual(kitFiles)
  expect(files).toContain('fixtures/kit.ts')
})

test.each(folders)('%s is not larger than a connector may be', (folder) => {
  const lines = linesOf(folder, (name) => !tables.includes(name) && name !== 'list.ts')

  expect(lines).toBeGreaterThan(100)
  expect(lines).toBeLessThanOrEqual(maxLines)
  expect(linesOf(folder, (name) => name === 'list.ts')).toBeLessThanOrEqual(maxLinesOfList)
})

test('a new connector has the files of the kit', () => {
  const template = 'scripts/new-provider/template'

  expect(kitFiles.filter((path) => !paths.includes(`${template}/${path}.template`))).toEqual([])
})

function linesOf(folder: string, isCounted: (name: string) => boolean): number {
  return sources
    .filter(({ path }) => path.startsWith(`providers/${folder}/`) && !path.includes('/fixtures/'))
    .filter(({ path }) => isCounted(path.split('/').at(-1) ?? ''))
    .flatMap(({ text }) => withoutComments(text).split('\n'))
    .filter((line) => line.trim() !== '').length
}
