/** The people of your organization, and invitations. */
import { type List, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, Send, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function peopleOf(send: Send) {
  const path = '/people'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Lists the people of your organization. */
    list: (query?: api.ListPeople, options?: CallOptions): List<api.Person> =>
      paginatedList(send, path, query, options),
    /** Changes the role within five seconds, in every workspace. The role of the last ADMIN cannot change. */
    update: (id: string, body: api.UpdatePerson, options?: WriteOptions): Promise<Answered<api.Person>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Deactivates the person permanently. Their sessions end within five seconds. */
    deactivate: (id: string, options?: WriteOptions): Promise<Answered<api.Person>> =>
      send({ method: 'POST', path: `${pathOf(id)}/deactivate`, options }),
    /** Ends all sessions of the person within five seconds. They can sign in again. Can also remove their passkeys. */
    signOut: (
      id: string,
      body: api.SignOutPerson = {},
      options?: WriteOptions,
    ): Promise<Answered<api.Person>> =>
      send({ method: 'POST', path: `${pathOf(id)}/sign_out`, body, options }),
  }
}

export function invitationsOf(send: Send) {
  const path = '/invitations'
  return {
    /** Creates an invitation. Only this response contains its link; it is null if the response is a replay. */
    create: (body: api.CreateInvitation, options?: WriteOptions): Promise<Answered<api.ShownInvitation>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists all invitations, including accepted and revoked ones. */
    list: (query?: api.ListInvitations, options?: CallOptions): List<api.Invitation> =>
      paginatedList(send, path, query, options),
    /** Revokes an invitation, so that its link stops working. */
    revoke: (id: string, options?: WriteOptions): Promise<Answered<api.Invitation>> =>
      send({ method: 'POST', path: `${path}/${encodeId(id)}/revoke`, options }),
  }
}
