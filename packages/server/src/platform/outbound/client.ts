/**
 * Calls addresses that somebody else chose, and tells what became of it. The guard against calls into our own
 * network is part of it and cannot be left out: the text of an address is judged in target.ts, whatever a name
 * stands for in connect.ts. Proxies named in the environment are ignored, as they would connect for us.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import { addressRules, type Openings } from './address.ts'
import { call, notTried } from './call.ts'
import { outboundSecureContext, type Roads } from './connect.ts'
import { CallFault } from './faults.ts'
import { Line } from './line.ts'
import { type Lookup, nameServerLookup } from './lookup.ts'
import type { Outbound } from './outbound.ts'
import { Pools } from './pools.ts'
import { judge } from './target.ts'

export type OutboundOptions = Openings & {
  /** How names are resolved; by default the name servers of this machine are asked. */
  readonly lookup?: Lookup
  /** An authority that is trusted besides the usual ones, as PEM. */
  readonly ca?: string
}

/** Throws if one of the allowed networks is not a network. */
export function createOutbound(options: OutboundOptions): Outbound {
  const roads: Roads = {
    standingOf: addressRules(options),
    lookup: options.lookup ?? nameServerLookup(),
    secureContext: outboundSecureContext(options.ca),
  }
  const pools = new Pools()
  return {
    async send(request) {
      const startedAtMs = monotonicMs()
      // It was judged when somebody entered it, but what is allowed may have changed since.
      const judged = judge(request.url, request.mode, roads.standingOf)
      if (judged.is === 'fault') return notTried(new CallFault('blocked', judged.fault), startedAtMs)
      if (pools.isClosed)
        return notTried(new CallFault('ours', 'This process is shutting down.'), startedAtMs)

      const { origin, path } = judged.target
      const open = () => new Line(roads, origin, request.mode, request.connectMs)
      const pool = pools.of(request.pool, `${request.mode} ${origin}`, open)
      return call(pool, request, { path, startedAtMs })
    },
    faultOf(url, mode) {
      const judged = judge(url, mode, roads.standingOf)
      return judged.is === 'fault' ? judged.fault : null
    },
    forget: (pool) => pools.forget(pool),
    close: () => pools.close(),
  }
}
