/** The actions of an admin on a person. They take effect within five seconds in every workspace. */
import type { Person } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField, RadioField } from '../../../ui/fields.tsx'
import { CreatedTokens } from './created-tokens.tsx'
import { type Role, roleOptions } from './roles.ts'

type Props = { person: Person; onClose: () => void }

const nameOf = ({ name, email }: Person) => name ?? email

export function ChangeRole({ person, onClose }: Props) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [role, setRole] = useState<string>(person.role)
  const [keepsTokens, setKeepsTokens] = useState(false)
  const isDemoted = person.role === 'ADMIN' && role !== 'ADMIN'
  const body = {
    role: role as Role,
    ...(isDemoted && keepsTokens ? { keep_api_tokens: true } : {}),
  }
  return (
    <ActionDialog
      title={`Change role of ${nameOf(person)}`}
      intro="The change takes effect within five seconds in every workspace. The role of the last admin cannot be changed."
      submit="Change role"
      disabledReason={
        disabledReasonFor('people.update') ??
        (role === person.role ? 'This person already has this role.' : null)
      }
      successMessage={`${nameOf(person)} is now ${role}`}
      call={{
        method: 'PUT',
        path: `/people/${person.id}`,
        body,
        sdk: { method: 'people.update', args: [person.id, body] },
      }}
      run={async (key) => {
        await api.people.update(person.id, body, key)
        await invalidate('person', 'me')
      }}
      onDone={onClose}
    >
      <RadioField legend="Role" value={role} onChange={setRole} options={roleOptions} />
      {isDemoted && (
        <CheckField
          label="Keep the API tokens they created"
          hint="Otherwise they are revoked in all workspaces. Invitations they sent are always revoked."
          checked={keepsTokens}
          onChange={setKeepsTokens}
        />
      )}
      {isDemoted && !keepsTokens && <CreatedTokens person={person} />}
    </ActionDialog>
  )
}

export function SignOut({ person, onClose }: Props) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [removesPasskeys, setRemovesPasskeys] = useState(false)
  const body = { remove_passkeys: removesPasskeys }
  return (
    <ActionDialog
      title={`Sign out ${nameOf(person)}`}
      intro="All sessions of this person end within five seconds. They can sign in again."
      submit="Sign out everywhere"
      danger
      disabledReason={disabledReasonFor('people.sign_out')}
      successMessage={`${nameOf(person)} is signed out`}
      call={{
        method: 'POST',
        path: `/people/${person.id}/sign_out`,
        body,
        sdk: { method: 'people.signOut', args: [person.id, body] },
      }}
      run={async (key) => {
        await api.people.signOut(person.id, body, key)
        await invalidate('person')
      }}
      onDone={onClose}
    >
      <CheckField
        label="Also remove their passkeys"
        hint="Use this if a device is lost: a passkey signs in without a password."
        checked={removesPasskeys}
        onChange={setRemovesPasskeys}
      />
    </ActionDialog>
  )
}

export function Deactivate({ person, onClose }: Props) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title={`Deactivate ${nameOf(person)}`}
      intro="This person is signed out within five seconds and can no longer sign in. The API tokens they created and the invitations they sent are revoked in all workspaces. Their actions stay in the audit log."
      submit="Deactivate person"
      danger
      disabledReason={disabledReasonFor('people.deactivate')}
      successMessage={`${nameOf(person)} is deactivated`}
      call={{
        method: 'POST',
        path: `/people/${person.id}/deactivate`,
        sdk: { method: 'people.deactivate', args: [person.id] },
      }}
      run={async (key) => {
        await api.people.deactivate(person.id, key)
        await invalidate('person')
      }}
      onDone={onClose}
    >
      <CreatedTokens person={person} />
    </ActionDialog>
  )
}
