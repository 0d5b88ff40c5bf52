import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  AdvanceTestClock,
  CreateTestClock,
  DeletedTestClock,
  present,
  presentDeleted,
  presentEntry,
  TestClockEntry,
  TestClockObject,
  TestClockPath,
  TimelineQuery,
} from './schema.ts'
import {
  advanceTestClock,
  createTestClock,
  deleteTestClock,
  getTestClock,
  getTimeline,
  listTestClocks,
  type TestClock,
} from './service.ts'

type EventTypes = readonly { readonly type: string; readonly about: string }[]

export const testClockOperations = (deps: Deps, types: EventTypes) => [
  operation({
    id: 'test_clocks.create',
    method: 'POST',
    path: '/test-clocks',
    summary: 'Create a test clock',
    description:
      'Creates a simulated clock in the test environment. A customer created with it, and everything that belongs to the customer, uses its time.',
    body: CreateTestClock,
    status: 201,
    response: TestClockObject,
    errors: ['test_mode_only'],
    present,
    handle: ({ caller, body }) => createTestClock(deps, caller, body),
  }),
  operation({
    id: 'test_clocks.list',
    method: 'GET',
    path: '/test-clocks',
    summary: 'List test clocks',
    description: 'Returns test clocks, newest first.',
    query: PageQuery({}),
    response: PageOf(TestClockObject),
    errors: ['invalid_cursor'],
    present: presentPage('/test-clocks', present),
    handle: ({ caller, query }) => listTestClocks(deps, caller, rangeOf('test_clock', caller.mode, query)),
  }),
  operation({
    id: 'test_clocks.get',
    method: 'GET',
    path: '/test-clocks/:test_clock_id',
    summary: 'Get a test clock',
    description: 'Returns a test clock. Poll it while its status is `advancing`.',
    params: TestClockPath,
    response: TestClockObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getTestClock(deps, caller, params.test_clock_id),
  }),
  operation({
    id: 'test_clocks.delete',
    method: 'DELETE',
    path: '/test-clocks/:test_clock_id',
    summary: 'Delete a test clock',
    description: 'The clock can no longer be advanced. The objects on it are not changed.',
    params: TestClockPath,
    response: DeletedTestClock,
    errors: ['not_found', 'test_clock_advancing'],
    present: presentDeleted,
    handle: ({ caller, params }) => deleteTestClock(deps, caller, params.test_clock_id),
  }),
  operation({
    id: 'test_clocks.advance',
    method: 'POST',
    path: '/test-clocks/:test_clock_id/advance',
    summary: 'Advance a test clock',
    description:
      'Advances the clock: trials end, subscriptions renew, and payments succeed or fail in chronological order. Returns 202 if this takes longer than a request may take; the clock then continues in the background.',
    params: TestClockPath,
    body: AdvanceTestClock,
    response: TestClockObject,
    accepted: {
      response: TestClockObject,
      present: (clock: TestClock) => (clock.status === 'advancing' ? present(clock) : null),
    },
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    handle: ({ caller, params, body }) => advanceTestClock(deps, caller, params.test_clock_id, body),
  }),
  operation({
    id: 'test_clocks.timeline',
    method: 'GET',
    path: '/test-clocks/:test_clock_id/timeline',
    summary: 'Get the timeline of a test clock',
    description:
      'Returns everything that happened on the clock in chronological order, each entry with the id and type of its event and a description in one sentence. Events are kept for 90 days.',
    params: TestClockPath,
    query: TimelineQuery,
    response: PageOf(TestClockEntry),
    errors: ['not_found', 'invalid_cursor'],
    present: (page: Awaited<ReturnType<typeof getTimeline>>) =>
      presentPage(`/test-clocks/${page.clock.id}/timeline`, presentEntry)(page),
    handle: ({ caller, params, query }) =>
      getTimeline(deps, caller, params.test_clock_id, { ...query, about: describeEventTypes(types) }),
  }),
]

/** The description of an event type; for a type that no longer exists, its name. */
function describeEventTypes(types: EventTypes): (type: string) => string {
  const descriptions = new Map(types.map(({ type, about }) => [type, about]))
  return (type) => descriptions.get(type) ?? `${type}.`
}
