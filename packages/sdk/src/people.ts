/** People of your organization, and how they come in. */
import { type List, pages } from './list.ts'
import { part } from './query.ts'
import type { Answered, CallOptions, Send, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function peopleOf(send: Send) {
  const path = '/people'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** The people of your organization. */
    list: (query?: api.ListPeople, options?: CallOptions): List<api.Person> =>
      pages(send, path, query, options),
    /** Another role, within five seconds and in every workspace. The last ADMIN keeps theirs. */
    update: (id: string, body: api.UpdatePerson, options?: WriteOptions): Promise<Answered<api.Person>> =>
      send({ method: 'PUT', path: at(id), body, options }),
    /** For good. Whoever is signed in is out within five seconds. */
    deactivate: (id: string, options?: WriteOptions): Promise<Answered<api.Person>> =>
      send({ method: 'POST', path: `${at(id)}/deactivate`, options }),
    /** Ends all sessions of the person within five seconds. They may sign in again; passkeys go if you ask for it. */
    signOut: (
      id: string,
      body: api.SignOutPerson = {},
      options?: WriteOptions,
    ): Promise<Answered<api.Person>> => send({ method: 'POST', path: `${at(id)}/sign_out`, body, options }),
  }
}

export function invitationsOf(send: Send) {
  const path = '/invitations'
  return {
    /** The link is in the answer, this once. It is null if the answer is that of an earlier try. */
    create: (body: api.CreateInvitation, options?: WriteOptions): Promise<Answered<api.ShownInvitation>> =>
      send({ method: 'POST', path, body, options }),
    /** All invitations, also those that were accepted or revoked. */
    list: (query?: api.ListInvitations, options?: CallOptions): List<api.Invitation> =>
      pages(send, path, query, options),
    /** Its link opens nothing any more. */
    revoke: (id: string, options?: WriteOptions): Promise<Answered<api.Invitation>> =>
      send({ method: 'POST', path: `${path}/${part(id)}/revoke`, options }),
  }
}
