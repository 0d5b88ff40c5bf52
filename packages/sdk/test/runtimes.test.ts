// The package only uses APIs of the Web platform, and no API of Node.js. The browser is covered by the
// tests of pages; Bun, Deno and workerd by `npm run test:runtimes`, which installs them for the run.

import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { bundledProbe } from './runtimes/bundle.ts'
import { expected, type ProbeInput, type ProbeResult, probe } from './runtimes/probe.ts'
import { probeInputFor } from './runtimes/probe-input.ts'
import { runSandboxed } from './runtimes/sandbox.ts'

const switchyard = await switchyardForThisFile()

async function newProbeInput(): Promise<ProbeInput> {
  const { address: baseUrl, token } = await switchyard.newWorkspace()
  return probeInputFor({ baseUrl, token })
}

test('Node.js verifies webhooks, calls the API and streams events', async () => {
  expect(await probe(await newProbeInput())).toEqual(expected)
})

test('a sandbox with only the Web platform does the same', async () => {
  const run = runSandboxed(await bundledProbe('iife'), 'sdk.probe') as (
    input: ProbeInput,
  ) => Promise<ProbeResult>

  // Objects of the sandbox have other prototypes.
  expect(JSON.parse(JSON.stringify(await run(await newProbeInput())))).toEqual(expected)
  expect(runSandboxed('', 'typeof process + typeof Buffer + typeof require')).toBe('undefined'.repeat(3))
})
