// Runs the smoke test of a connector against its emulator, and prints the steps that failed as JSON. It is started in a
// patched copy of the server.

import { startEmulator } from '../../../../scripts/provider-smoke/emulator.ts'
import { automaticPayer } from '../../../../scripts/provider-smoke/payer.ts'
import { runSmoke } from '../../../../scripts/provider-smoke/run.ts'
import { createOutbound } from '../../src/platform/outbound/client.ts'
import { connectors } from '../../src/providers/connectors.ts'

const id = (process.argv[2] ?? '').replaceAll('-', '_')
const provider = connectors.find((connector) => connector.id === id)
const setup = provider?.setup
if (provider === undefined || setup === undefined) throw new Error(`There is no connector called ${id}.`)

const { simulator, account } = await startEmulator(provider, setup)
const payer = await automaticPayer()
const outbound = createOutbound({
  allowCidrs: [],
  allowLoopback: true,
  simulatorUrl: account.config.base_url,
})
const { steps } = await runSmoke({ provider, setup, account, payer, sender: outbound, print: () => {} })
await Promise.all([outbound.close(), payer.close(), simulator.stop()])
console.log(JSON.stringify(steps.filter(({ status }) => status === 'failed').map(({ name }) => name)))
