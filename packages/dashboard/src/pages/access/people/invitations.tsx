/** Invitations: links that work once. */
import type { Invitation } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useRows } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { RadioField, TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { type Role, roleOptions } from './roles.ts'

export function Invite({
  onCreated,
  onClose,
}: {
  onCreated: (url: string | null) => void
  onClose: () => void
}) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('DEVELOPER')
  const body = { email, role: role as Role }
  return (
    <ActionDialog
      title="Invite person"
      intro="You get a link to send them. They choose their own password."
      submit="Create invitation"
      disabledReason={disabledReasonFor('invitations.create')}
      call={{
        method: 'POST',
        path: '/invitations',
        body,
        sdk: { method: 'invitations.create', args: [body] },
      }}
      run={async (key) => {
        const { url } = await api.invitations.create(body, key)
        await invalidate('invitation')
        onCreated(url)
      }}
      onDone={() => undefined}
      onCancel={onClose}
    >
      <TextField label="Email" type="email" pointer="/email" value={email} onChange={setEmail} autoFocus />
      <RadioField legend="Role" value={role} onChange={setRole} options={roleOptions} />
    </ActionDialog>
  )
}

export function Invitations() {
  const disabledReasonFor = useDisabledReason()
  const [selected, setSelected] = useState<Invitation | null>(null)
  const rows = useRows(['invitation'], (api, page) => api.invitations.list(page))
  if (rows.rows.length === 0 && rows.error === null) return null
  return (
    <Panel title="Invitations" flush>
      <DataTable
        label="Invitations"
        rows={rows}
        empty={null}
        columns={[
          { title: 'Email', phone: true, cell: ({ email }) => email },
          { title: 'Role', width: '130px', cell: ({ role }) => role },
          { title: 'Status', width: '120px', phone: true, cell: ({ status }) => <Status status={status} /> },
          { title: 'Expires', width: '140px', cell: ({ expires_at }) => <Time at={expires_at} /> },
          {
            title: 'Actions',
            width: '110px',
            align: 'right',
            phone: true,
            cell: (invitation) =>
              invitation.status === 'pending' && (
                <Button
                  compact
                  disabledReason={disabledReasonFor('invitations.revoke')}
                  onClick={() => setSelected(invitation)}
                >
                  Revoke invitation…
                </Button>
              ),
          },
        ]}
      />
      {selected !== null && <RevokeDialog invitation={selected} onClose={() => setSelected(null)} />}
    </Panel>
  )
}

function RevokeDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      title="Revoke invitation"
      intro={`The link sent to ${invitation.email} stops working.`}
      submit="Revoke invitation"
      danger
      disabledReason={disabledReasonFor('invitations.revoke')}
      successMessage="Invitation revoked"
      call={{
        method: 'POST',
        path: `/invitations/${invitation.id}/revoke`,
        sdk: { method: 'invitations.revoke', args: [invitation.id] },
      }}
      run={async (key) => {
        await api.invitations.revoke(invitation.id, key)
        await invalidate('invitation')
      }}
      onDone={onClose}
    />
  )
}
