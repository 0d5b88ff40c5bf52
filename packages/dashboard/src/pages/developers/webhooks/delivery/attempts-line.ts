/** The attempts of a delivery as a Line: what was sent from here, what came back from there. Pure. */
import type { DeliveryAttempt, DeliveryWithAttempts } from '@switchyard/sdk'
import { durationText } from '../../../../format/time.ts'
import type { LineNode, Story } from '../../../../line/line.tsx'
import { answerText } from '../answers.ts'

export function storyOf(delivery: DeliveryWithAttempts, host: string): Story {
  const begin: LineNode = {
    id: 'event',
    lane: 'switchyard',
    atMs: Date.parse(delivery.created_at),
    text: delivery.event_type,
    tone: 'ink',
    mark: 'open',
  }
  return {
    lanes: [
      { id: 'switchyard', text: 'Switchyard' },
      { id: 'receiver', text: host },
    ],
    nodes: [begin, ...delivery.attempts.map(nodeOf), ...nextOf(delivery)],
  }
}

/** Its id is the number of the attempt, so that choosing it chooses the attempt. */
function nodeOf({ number, started_at, duration_ms, outcome, status }: DeliveryAttempt): LineNode {
  const isOk = outcome === 'ok'
  return {
    id: String(number),
    lane: 'receiver',
    atMs: Date.parse(started_at) + duration_ms,
    text: `${answerText(outcome, status)} in ${durationText(duration_ms)}`,
    tone: isOk ? 'clear' : 'danger',
    mark: isOk ? 'done' : 'failed',
    isWaiting: !isOk,
  }
}

function nextOf({ state, attempts_made, next_attempt_at }: DeliveryWithAttempts): readonly LineNode[] {
  if (state !== 'pending' || attempts_made === 0 || next_attempt_at === null) return []
  const atMs = Date.parse(next_attempt_at)
  return [{ id: 'next', lane: 'receiver', atMs, text: 'Next try', tone: 'caution', mark: 'waiting' }]
}
