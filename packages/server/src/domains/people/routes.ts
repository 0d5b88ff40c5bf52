import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { PersonObject, present } from './schema.ts'
import { listPeople } from './service.ts'

export const peopleOperations = (deps: Deps) => [
  operation({
    id: 'people.list',
    method: 'GET',
    path: '/people',
    summary: 'List the people of your organization',
    query: PageQuery({}),
    answer: PageOf(PersonObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/people', present),
    verb: ({ caller, query }) => listPeople(deps, caller, rangeOf('person', caller.mode, query)),
  }),
]
