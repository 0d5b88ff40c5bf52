/** Checks that the live and the test API respond at their configured addresses, and are not swapped. */
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import { type Check, type CheckFinding, fail, ok, warn } from './check.ts'

export type Addresses = { readonly live: string; readonly test: string }

const names = { live: 'LIVE_BASE_URL', test: 'TEST_BASE_URL' } as const

const addresses: Check = {
  id: 'addresses',
  title: 'Addresses',
  async run({ config, machine }) {
    const configured = assessAddresses(config.addresses)
    if (configured.status === 'fail') return configured
    // A request without a token is rejected, and the error names the address of the environment that
    // responded.
    const [live, test] = await Promise.all([
      machine.fetch(`${config.addresses.live}/me`),
      machine.fetch(`${config.addresses.test}/me`),
    ])
    const reached = [assessReply('live', live, config.addresses), assessReply('test', test, config.addresses)]
    const findings = [...reached, configured].filter(({ status }) => status !== 'ok')
    return findings.find(({ status }) => status === 'fail') ?? findings[0] ?? configured
  },
}

const isLocal = (url: URL) => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)

/** Checks the configured addresses without calling them. */
export function assessAddresses({ live, test }: Addresses): CheckFinding {
  if (live === test)
    return fail(
      `The live and the test API have the same address, ${live}.`,
      'Set LIVE_BASE_URL and TEST_BASE_URL to different addresses: a test token must never reach the live API.',
    )
  const [liveUrl, testUrl] = [new URL(live), new URL(test)]
  const isUnencrypted = (url: URL) => url.protocol !== 'https:' && !isLocal(url)
  if (isUnencrypted(liveUrl))
    return fail(
      `The live API at ${liveUrl.origin} is not encrypted: requests can be read and modified in transit.`,
      'Put a TLS proxy in front of it, and set LIVE_BASE_URL to an https:// address.',
    )
  const withPath = [liveUrl, testUrl].filter(({ pathname, search }) => pathname !== '/' || search !== '')
  if (withPath.length > 0)
    return fail(
      `${withPath.map(({ href }) => href).join(' and ')} contains more than scheme, host and port.`,
      'Give the API its own host name or port, and remove the path from LIVE_BASE_URL and TEST_BASE_URL.',
    )
  if (isUnencrypted(testUrl))
    return warn(
      `The test API at ${testUrl.origin} is not encrypted: requests can be read in transit.`,
      'Put a TLS proxy in front of it, and set TEST_BASE_URL to an https:// address.',
    )
  return ok(`Live API at ${live}, test API at ${test}.`)
}

/**
 * Checks the response of an address. The address may be reachable only from outside, so no response is only a
 * warning.
 */
export function assessReply(
  mode: 'live' | 'test',
  reply: OutboundReply,
  configured: Addresses,
): CheckFinding {
  const [name, address] = [names[mode], configured[mode]]
  if (reply.kind === 'failed')
    return warn(
      `${address} cannot be reached from here: ${reply.detail}`,
      `Check that an api process is running, that the proxy forwards to its ${mode.toUpperCase()}_LISTEN, and that ${name} is correct. Ignore this if only this machine cannot reach it.`,
    )
  const respondingAddress = addressIn(reply.body)
  if (respondingAddress === address) return ok(`${address} answers.`)
  const other = mode === 'live' ? configured.test : configured.live
  if (respondingAddress === other)
    return fail(
      `${address} points to the ${mode === 'live' ? 'test' : 'live'} API.`,
      `Make the proxy forward ${name} to ${mode.toUpperCase()}_LISTEN: the live and the test API are swapped.`,
    )
  if (respondingAddress !== null)
    return fail(
      `The process at ${address} is configured with the address ${respondingAddress}.`,
      `Start all processes with the same ${name}.`,
    )
  return fail(
    `The server at ${address} is not Switchyard: it returned status ${reply.status}.`,
    `Make the proxy forward all requests to ${mode.toUpperCase()}_LISTEN, or correct ${name}.`,
  )
}

/**
 * The `type` of a problem starts with the address of its environment. Other servers may respond with
 * anything.
 */
function addressIn(body: string): string | null {
  return /"type"\s*:\s*"(https?:\/\/[^"]{1,300})\/docs\/errors\/[a-z_]+"/.exec(body)?.[1] ?? null
}

export const addressChecks = [addresses]
