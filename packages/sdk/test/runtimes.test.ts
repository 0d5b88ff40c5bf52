// The package needs what the Web platform has, and nothing of Node's. A browser is asked in the tests of pages;
// Bun, Deno and workerd by `npm run test:runtimes`, which installs them for the occasion.

import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { bundledProbe } from './runtimes/bundle.ts'
import { givenFor } from './runtimes/given.ts'
import { expected, type Given, type Proved, probe } from './runtimes/probe.ts'
import { runSandboxed } from './runtimes/sandbox.ts'

const switchyard = await switchyardForThisFile()

async function given(): Promise<Given> {
  const { address: baseUrl, token } = await switchyard.newWorkspace()
  return givenFor({ baseUrl, token })
}

test('Node verifies, calls and follows', async () => {
  expect(await probe(await given())).toEqual(expected)
})

test('so does a place that has the Web platform alone', async () => {
  const run = runSandboxed(await bundledProbe('iife'), 'sdk.probe') as (it: Given) => Promise<Proved>

  // What comes from there has other prototypes.
  expect(JSON.parse(JSON.stringify(await run(await given())))).toEqual(expected)
  expect(runSandboxed('', 'typeof process + typeof Buffer + typeof require')).toBe('undefined'.repeat(3))
})
