import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
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

type Types = readonly { readonly type: string; readonly about: string }[]

export const testClockOperations = (deps: Deps, types: Types) => [
  operation({
    id: 'test_clocks.create',
    method: 'POST',
    path: '/test-clocks',
    summary: 'Create a test clock',
    description:
      'A clock of the test environment. A customer that is created with it lives in its time, and so does everything that belongs to the customer.',
    body: CreateTestClock,
    status: 201,
    answer: TestClockObject,
    refuses: ['test_mode_only'],
    present,
    verb: ({ caller, body }) => createTestClock(deps, caller, body),
  }),
  operation({
    id: 'test_clocks.list',
    method: 'GET',
    path: '/test-clocks',
    summary: 'List test clocks',
    description: 'Newest first.',
    query: PageQuery({}),
    answer: PageOf(TestClockObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/test-clocks', present),
    verb: ({ caller, query }) => listTestClocks(deps, caller, rangeOf('test_clock', caller.mode, query)),
  }),
  operation({
    id: 'test_clocks.get',
    method: 'GET',
    path: '/test-clocks/:test_clock_id',
    summary: 'Get a test clock',
    description: 'Answers one clock. While it is `advancing`, ask again.',
    params: TestClockPath,
    answer: TestClockObject,
    refuses: ['not_found'],
    present,
    verb: ({ caller, params }) => getTestClock(deps, caller, params.test_clock_id),
  }),
  operation({
    id: 'test_clocks.delete',
    method: 'DELETE',
    path: '/test-clocks/:test_clock_id',
    summary: 'Delete a test clock',
    description: 'It no longer moves. What lives on it stays as it is.',
    params: TestClockPath,
    answer: DeletedTestClock,
    refuses: ['not_found', 'test_clock_advancing'],
    present: presentDeleted,
    verb: ({ caller, params }) => deleteTestClock(deps, caller, params.test_clock_id),
  }),
  operation({
    id: 'test_clocks.advance',
    method: 'POST',
    path: '/test-clocks/:test_clock_id/advance',
    summary: 'Advance a test clock',
    description:
      'Time passes on it: trials end, subscriptions renew, payments are made and fail, in the order in which they would. Answers 202 if it takes longer than a request may; then it goes on by itself.',
    params: TestClockPath,
    body: AdvanceTestClock,
    answer: TestClockObject,
    accepted: {
      answer: TestClockObject,
      present: (clock: TestClock) => (clock.status === 'advancing' ? present(clock) : null),
    },
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    verb: ({ caller, params, body }) => advanceTestClock(deps, caller, params.test_clock_id, body),
  }),
  operation({
    id: 'test_clocks.timeline',
    method: 'GET',
    path: '/test-clocks/:test_clock_id/timeline',
    summary: 'Get the timeline of a test clock',
    description:
      'Everything that happened in its time, the first thing first, each as an event and as a sentence. Events are kept for 90 days.',
    params: TestClockPath,
    query: TimelineQuery,
    answer: PageOf(TestClockEntry),
    refuses: ['not_found', 'invalid_cursor'],
    present: (page: Awaited<ReturnType<typeof getTimeline>>) =>
      presentPage(`/test-clocks/${page.clock.id}/timeline`, presentEntry)(page),
    verb: ({ caller, params, query }) =>
      getTimeline(deps, caller, params.test_clock_id, { ...query, about: aboutIn(types) }),
  }),
]

/** When events of a type happen, in a sentence. One that is not known any more has its name. */
function aboutIn(types: Types): (type: string) => string {
  const known = new Map(types.map(({ type, about }) => [type, about]))
  return (type) => known.get(type) ?? `${type}.`
}
