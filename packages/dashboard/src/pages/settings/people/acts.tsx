/** What an admin does about a person. It holds within five seconds, in every workspace. */
import type { Person } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { CheckField, RadioField } from '../../../ui/fields.tsx'
import { type Role, roleOptions } from './roles.ts'

type Props = { person: Person; onClose: () => void }

const nameOf = ({ name, email }: Person) => name ?? email

export function ChangeRole({ person, onClose }: Props) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [role, setRole] = useState<string>(person.role)
  const body = { role: role as Role }
  return (
    <ActionDialog
      title={`Role of ${nameOf(person)}`}
      intro="It holds within five seconds, in every workspace. The last admin keeps the role."
      submit="Change the role"
      refused={may('people.update') ?? (role === person.role ? 'This is the role already.' : null)}
      done={`${nameOf(person)} is ${role} now.`}
      call={{
        method: 'PUT',
        path: `/people/${person.id}`,
        body,
        sdk: { method: 'people.update', args: [person.id, body] },
      }}
      run={async (key) => {
        await api.people.update(person.id, body, key)
        await reread('person', 'me')
      }}
      onDone={onClose}
    >
      <RadioField legend="Role" value={role} onChange={setRole} options={roleOptions} />
    </ActionDialog>
  )
}

export function SignOut({ person, onClose }: Props) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [isRemoving, setRemoving] = useState(false)
  const body = { remove_passkeys: isRemoving }
  return (
    <ActionDialog
      title={`Sign out ${nameOf(person)}`}
      intro="All sessions of this person end within five seconds. They may sign in again."
      submit="Sign out everywhere"
      danger
      refused={may('people.sign_out')}
      done={`${nameOf(person)} is signed out.`}
      call={{
        method: 'POST',
        path: `/people/${person.id}/sign_out`,
        body,
        sdk: { method: 'people.signOut', args: [person.id, body] },
      }}
      run={async (key) => {
        await api.people.signOut(person.id, body, key)
        await reread('person')
      }}
      onDone={onClose}
    >
      <CheckField
        label="Remove their passkeys too"
        hint="If a device is lost: each of them opens without a password."
        checked={isRemoving}
        onChange={setRemoving}
      />
    </ActionDialog>
  )
}

export function Deactivate({ person, onClose }: Props) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      title={`Deactivate ${nameOf(person)}`}
      intro="This person is out within five seconds and cannot sign in any more. What they did stays in the audit log."
      submit="Deactivate"
      danger
      refused={may('people.deactivate')}
      done={`${nameOf(person)} is deactivated.`}
      call={{
        method: 'POST',
        path: `/people/${person.id}/deactivate`,
        sdk: { method: 'people.deactivate', args: [person.id] },
      }}
      run={async (key) => {
        await api.people.deactivate(person.id, key)
        await reread('person')
      }}
      onDone={onClose}
    />
  )
}
