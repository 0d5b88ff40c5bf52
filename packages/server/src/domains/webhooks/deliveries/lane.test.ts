// A lane in memory: how much it sends while results cannot be written.

import { expect, test } from 'vitest'
import { idFromUuid } from '../../../kernel/id.ts'
import { Lane } from './service/lane.ts'
import type { ClaimedLane, DueDelivery } from './store/lanes.ts'

const uuid = (number: number) => `0190a5c0-0000-7000-8000-${String(number).padStart(12, '0')}`

const dueDelivery = (number: number): DueDelivery => ({
  uuid: uuid(number),
  event: {
    uuid: uuid(number),
    type: 'customer.created',
    createdAt: new Date(0),
    apiVersion: '2026-01-01',
    fanOut: 1,
    data: '{}',
  },
  objectUuid: uuid(number),
  sequence: 1,
  ordered: false,
  version: 1,
  tries: 0,
  attempts: 0,
  trigger: 'schedule',
})

const maxInFlight = 10
const refill: ClaimedLane = {
  epoch: 1,
  settings: {
    version: 1,
    url: 'https://example.com',
    ordered: false,
    maxInFlight,
    rateLimit: null,
    timeoutSeconds: 15,
  },
  secrets: null,
  health: {
    open: false,
    probeWaitSeconds: 0,
    failingSinceAt: null,
    failedDeliveries: 0,
    failuresInARow: 0,
    warnings: 0,
  },
  due: Array.from({ length: 50 }, (_, index) => dueDelivery(index)),
  nextDueAt: null,
}

/** Sends everything the lane allows. Each request is answered immediately, and no result is written. */
function sendWithoutWriting(lane: Lane): string[] {
  const sent: string[] = []
  while (lane.canSend) {
    sent.push(lane.startNext().uuid)
    lane.inFlight -= 1
  }
  return sent
}

test('a lane stops sending when too many results are not written', () => {
  const lane = new Lane({
    workspaceId: idFromUuid('workspace', 'test', uuid(1)),
    id: idFromUuid('webhook_endpoint', 'test', uuid(2)),
  })
  lane.acceptRefill(refill, 100, 1)
  const sent = sendWithoutWriting(lane)
  expect(sent).toHaveLength(2 * maxInFlight)
  for (const delivery of sent.slice(0, 3)) lane.markWritten(delivery, 1)
  expect(sendWithoutWriting(lane)).toHaveLength(3)
})
