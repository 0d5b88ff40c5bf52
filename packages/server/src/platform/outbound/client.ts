/**
 * Calls URLs that users have configured, and reports the outcome. Protection against calls into our own
 * network (SSRF) is built in and cannot be disabled: target.ts checks the URL, and connect.ts checks the
 * addresses to which its name resolves. Proxies from the environment are ignored, because they would connect
 * on our behalf. A request can name a proxy, to which the same rules apply.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import type { Mode } from '../../kernel/id.ts'
import { type AllowedNetworks, addressRules } from './address.ts'
import { call, notAttempted } from './call.ts'
import { type ConnectContext, outboundSecureContext } from './connect.ts'
import { OutboundConnection } from './connection.ts'
import { CallFault } from './faults.ts'
import { type Lookup, nameServerLookup } from './lookup.ts'
import type { Outbound } from './outbound.ts'
import { Pools } from './pools.ts'
import { checkTarget } from './target.ts'

export type OutboundOptions = AllowedNetworks & {
  /** How names are resolved; by default with the name servers of this machine. */
  readonly lookup?: Lookup
  /** An additional trusted certificate authority, as PEM. */
  readonly ca?: string
  /** The URL of the simulator. The test environment may call its origin, public or not. */
  readonly simulatorUrl?: string | null
}

/** Throws if one of the allowed networks is invalid. */
export function createOutbound(options: OutboundOptions): Outbound {
  const context: ConnectContext = {
    statusOf: addressRules(options),
    lookup: options.lookup ?? nameServerLookup(),
    secureContext: outboundSecureContext(options.ca),
    simulator: options.simulatorUrl ? new URL(options.simulatorUrl).origin : null,
  }
  const pools = new Pools()
  const faultOf = (url: string, mode: Mode) => {
    const check = checkTarget(url, mode, context.statusOf, context.simulator)
    return check.kind === 'fault' ? check.fault : null
  }
  return {
    async send(request) {
      const startedAtMs = monotonicMs()
      // The URL was checked when it was configured, but the rules may have changed since.
      const check = checkTarget(request.url, request.mode, context.statusOf, context.simulator)
      if (check.kind === 'fault') return notAttempted(new CallFault('blocked', check.fault), startedAtMs)
      if (pools.isClosed)
        return notAttempted(new CallFault('ours', 'This process is shutting down.'), startedAtMs)

      const { origin, path } = check.target
      const { mode, connectMs, proxy } = request
      const proxyFault = proxy === undefined ? null : faultOf(proxy.url, mode)
      if (proxyFault !== null) return notAttempted(new CallFault('blocked', proxyFault), startedAtMs)
      const open = () => new OutboundConnection(context, { origin, mode, connectMs, proxy })
      const through = proxy === undefined ? '' : ` ${proxy.url} ${proxy.authorization}`
      const pool = pools.of(request.pool, `${mode} ${origin}${through}`, open)
      return call(pool, request, { path, startedAtMs })
    },
    faultOf,
    closePool: (pool) => pools.remove(pool),
    close: () => pools.close(),
  }
}
