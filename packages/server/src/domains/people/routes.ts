import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { PersonObject, PersonPath, present, SignOutPerson, UpdatePerson } from './schema.ts'
import { changeRole, deactivatePerson, listPeople, signOutPerson } from './service.ts'

export const peopleOperations = (deps: Deps) => [
  operation({
    id: 'people.list',
    method: 'GET',
    path: '/people',
    summary: 'List the people of your organization',
    description: 'Newest first, also those who are deactivated.',
    query: PageQuery({}),
    answer: PageOf(PersonObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/people', present),
    verb: ({ caller, query }) => listPeople(deps, caller, rangeOf('person', caller.mode, query)),
  }),
  operation({
    id: 'people.update',
    method: 'PUT',
    path: '/people/:person_id',
    summary: 'Change the role of a person',
    description:
      'Holds within five seconds, in every workspace and for whoever is signed in. The last ADMIN keeps the role.',
    params: PersonPath,
    body: UpdatePerson,
    answer: PersonObject,
    refuses: ['not_found', 'last_admin', 'live_mode_only', 'conflict'],
    present,
    verb: ({ caller, params, body }) => changeRole(deps, caller, params.person_id, body),
  }),
  operation({
    id: 'people.deactivate',
    method: 'POST',
    path: '/people/:person_id/deactivate',
    summary: 'Deactivate a person',
    description:
      'Ends all their sessions within five seconds, for good. The last ADMIN stays. Repeating it answers the same.',
    params: PersonPath,
    answer: PersonObject,
    refuses: ['not_found', 'last_admin', 'live_mode_only', 'conflict'],
    present,
    verb: ({ caller, params }) => deactivatePerson(deps, caller, params.person_id),
  }),
  operation({
    id: 'people.sign_out',
    method: 'POST',
    path: '/people/:person_id/sign_out',
    summary: 'Sign a person out everywhere',
    description:
      'Ends all their sessions within five seconds. They may sign in again. Passkeys stay, unless you ask for their removal.',
    params: PersonPath,
    body: SignOutPerson,
    answer: PersonObject,
    refuses: ['not_found', 'live_mode_only', 'conflict'],
    present,
    verb: ({ caller, params, body }) => signOutPerson(deps, caller, params.person_id, body),
  }),
]
