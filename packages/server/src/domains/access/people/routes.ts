import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { PersonObject, PersonPath, present, SignOutPerson, UpdatePerson } from './schema.ts'
import { changeRole, deactivatePerson, listPeople, signOutPerson } from './service.ts'

export const peopleOperations = (deps: Deps) => [
  operation({
    id: 'people.list',
    method: 'GET',
    path: '/people',
    summary: 'List the people of your organization',
    description: 'Returns the people of the organization, newest first, including deactivated ones.',
    query: PageQuery({}),
    response: PageOf(PersonObject),
    errors: ['invalid_cursor'],
    present: presentPage('/people', present),
    handle: ({ caller, query }) => listPeople(deps, caller, rangeOf('person', caller.mode, query)),
  }),
  operation({
    id: 'people.update',
    method: 'PUT',
    path: '/people/:person_id',
    summary: 'Change the role of a person',
    description:
      'Takes effect within five seconds in every workspace, including existing sessions. When a person is no longer ADMIN, the invitations they sent are revoked, and so are the API tokens they created, unless `keep_api_tokens` is true. The role of the last ADMIN cannot be changed.',
    params: PersonPath,
    body: UpdatePerson,
    response: PersonObject,
    errors: ['not_found', 'last_admin', 'live_mode_only', 'conflict'],
    present,
    handle: ({ caller, params, body }) => changeRole(deps, caller, params.person_id, body),
  }),
  operation({
    id: 'people.deactivate',
    method: 'POST',
    path: '/people/:person_id/deactivate',
    summary: 'Deactivate a person',
    description:
      'Deactivates the person permanently. All their sessions end within five seconds. The API tokens they created are revoked in all workspaces, and so are tokens created with those tokens: check `created_by_person_id` in the list of API tokens and replace those used by your servers first. The last ADMIN cannot be deactivated. Repeated calls return the same result.',
    params: PersonPath,
    response: PersonObject,
    errors: ['not_found', 'last_admin', 'live_mode_only', 'conflict'],
    present,
    handle: ({ caller, params }) => deactivatePerson(deps, caller, params.person_id),
  }),
  operation({
    id: 'people.sign_out',
    method: 'POST',
    path: '/people/:person_id/sign_out',
    summary: 'Sign a person out everywhere',
    description:
      'Ends all their sessions within five seconds. They can sign in again. Passkeys are kept, unless you request their removal.',
    params: PersonPath,
    body: SignOutPerson,
    response: PersonObject,
    errors: ['not_found', 'live_mode_only', 'conflict'],
    present,
    handle: ({ caller, params, body }) => signOutPerson(deps, caller, params.person_id, body),
  }),
]
