/** Whether callers find production and staging where the settings say they are, and cannot take one for the other. */
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import { type Check, fail, ok, type Verdict, warn } from './check.ts'

export type Addresses = { readonly live: string; readonly test: string }

const names = { live: 'LIVE_BASE_URL', test: 'TEST_BASE_URL' } as const

const addresses: Check = {
  id: 'addresses',
  title: 'Addresses',
  async look({ config, machine }) {
    const written = judgeAddresses(config.addresses)
    if (written.status === 'fail') return written
    // Whoever is not signed in is refused, in words that name the address of the environment that answered.
    const [live, test] = await Promise.all([
      machine.ask(`${config.addresses.live}/me`),
      machine.ask(`${config.addresses.test}/me`),
    ])
    const reached = [judgeReply('live', live, config.addresses), judgeReply('test', test, config.addresses)]
    const found = [...reached, written].filter(({ status }) => status !== 'ok')
    return found.find(({ status }) => status === 'fail') ?? found[0] ?? written
  },
}

const isHere = (url: URL) => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)

/** What their texts alone say. */
export function judgeAddresses({ live, test }: Addresses): Verdict {
  if (live === test)
    return fail(
      `Production and staging have one address, ${live}.`,
      'Set LIVE_BASE_URL and TEST_BASE_URL to two addresses: a test token must never reach production.',
    )
  const [liveUrl, testUrl] = [new URL(live), new URL(test)]
  const bare = (url: URL) => url.protocol !== 'https:' && !isHere(url)
  if (bare(liveUrl))
    return fail(
      `Production at ${liveUrl.origin} can be read and changed on the way.`,
      'Put a proxy that speaks TLS before it, and let LIVE_BASE_URL begin with https://.',
    )
  const long = [liveUrl, testUrl].filter(({ pathname, search }) => pathname !== '/' || search !== '')
  if (long.length > 0)
    return fail(
      `${long.map(({ href }) => href).join(' and ')} has more than scheme, host and port.`,
      'Give the API a host name or a port of its own, and leave out what follows it in LIVE_BASE_URL and TEST_BASE_URL.',
    )
  if (bare(testUrl))
    return warn(
      `Staging at ${testUrl.origin} can be read on the way.`,
      'Put a proxy that speaks TLS before it, and let TEST_BASE_URL begin with https://.',
    )
  return ok(`Production at ${live}, staging at ${test}.`)
}

/** What came back when an address was asked. It may be open to the outside and closed from here, so silence only warns. */
export function judgeReply(mode: 'live' | 'test', reply: OutboundReply, own: Addresses): Verdict {
  const [name, address] = [names[mode], own[mode]]
  if (reply.is === 'failed')
    return warn(
      `${address} cannot be reached from here: ${reply.detail}`,
      `See that an api process runs, that the proxy before it leads to its ${mode.toUpperCase()}_LISTEN, and that ${name} is right. If only this machine cannot reach it, all is well.`,
    )
  const answerer = addressIn(reply.body)
  if (answerer === address) return ok(`${address} answers.`)
  const other = mode === 'live' ? own.test : own.live
  if (answerer === other)
    return fail(
      `${address} leads to ${mode === 'live' ? 'staging' : 'production'}.`,
      `Let ${name} lead to ${mode.toUpperCase()}_LISTEN: in the proxy they are exchanged.`,
    )
  if (answerer !== null)
    return fail(
      `At ${address} a process answers that takes itself for ${answerer}.`,
      `Start all processes with the same ${name}.`,
    )
  return fail(
    `At ${address} something answers with status ${reply.status} that is not Switchyard.`,
    `Let the proxy pass everything on to ${mode.toUpperCase()}_LISTEN, or correct ${name}.`,
  )
}

/** Problems begin with the address of the environment that they come from. Somebody else's answer may be anything. */
function addressIn(body: string): string | null {
  return /"type"\s*:\s*"(https?:\/\/[^"]{1,300})\/docs\/errors\/[a-z_]+"/.exec(body)?.[1] ?? null
}

export const addressChecks = [addresses]
