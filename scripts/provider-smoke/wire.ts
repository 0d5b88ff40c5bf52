/** A sender that records every call for the transcript, and can drop a response as a broken connection would. */
import type { OutboundReply } from '../../packages/server/src/platform/outbound/outbound.ts'
import type { HttpCall, Sender } from '../../packages/server/src/providers/contract.ts'

export type RecordedCall = {
  readonly step: string
  readonly request: Pick<HttpCall, 'method' | 'url' | 'headers' | 'body'>
  readonly reply: OutboundReply
}

export type Wire = {
  readonly sender: Sender
  readonly calls: readonly RecordedCall[]
  /** Subsequent calls belong to this step. */
  startStep(name: string): void
  /** Drops the response to the first call of `run` that is not a GET. It is null if there was no such call. */
  withLostResponse<T>(
    run: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly lost: OutboundReply | null }>
}

export function createWire(sender: Sender): Wire {
  const calls: RecordedCall[] = []
  let step = ''
  let dropsNext = false
  let lost: OutboundReply | null = null

  return {
    calls,
    sender: {
      async send(request) {
        const { method = 'POST', url, headers, body } = request
        const received = await sender.send(request)
        const drops = dropsNext && method !== 'GET'
        const reply = drops ? connectionReset(received) : received
        if (drops) {
          dropsNext = false
          lost = received
        }
        calls.push({ step, request: { method, url, headers, body }, reply })
        return reply
      },
    },
    startStep(name) {
      step = name
    },
    async withLostResponse(run) {
      dropsNext = true
      lost = null
      try {
        return { result: await run(), lost }
      } finally {
        dropsNext = false
      }
    },
  }
}

function connectionReset({ timings, connectionReused, remoteIp }: OutboundReply): OutboundReply {
  return {
    kind: 'failed',
    cause: 'reset',
    detail: 'The smoke test dropped the response.',
    mayHaveBeenSent: true,
    timings,
    connectionReused,
    remoteIp,
  }
}
