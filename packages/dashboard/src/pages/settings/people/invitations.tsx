/** How people come in: by a link that works once. */
import type { Invitation } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread, useRows } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { RadioField, TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { type Role, roleOptions } from './roles.ts'

export function Invite({ onMade, onClose }: { onMade: (url: string | null) => void; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('DEVELOPER')
  const body = { email, role: role as Role }
  return (
    <ActionDialog
      title="Invite a person"
      intro="You get a link to send them. They choose their own password."
      submit="Make the invitation"
      refused={may('invitations.create')}
      call={{
        method: 'POST',
        path: '/invitations',
        body,
        sdk: { method: 'invitations.create', args: [body] },
      }}
      run={async (key) => {
        const { url } = await api.invitations.create(body, key)
        await reread('invitation')
        onMade(url)
      }}
      onDone={() => undefined}
      onCancel={onClose}
    >
      <TextField label="E-mail" type="email" pointer="/email" value={email} onChange={setEmail} autoFocus />
      <RadioField legend="Role" value={role} onChange={setRole} options={roleOptions} />
    </ActionDialog>
  )
}

export function Invitations() {
  const may = useMay()
  const [chosen, setChosen] = useState<Invitation | null>(null)
  const rows = useRows(['invitation'], (api, page) => api.invitations.list(page))
  if (rows.rows.length === 0 && rows.error === null) return null
  return (
    <Panel title="Invitations" flush>
      <DataTable
        label="Invitations"
        rows={rows}
        empty={null}
        columns={[
          { title: 'E-mail', phone: true, cell: ({ email }) => email },
          { title: 'Role', width: '130px', cell: ({ role }) => role },
          { title: 'Status', width: '120px', phone: true, cell: ({ status }) => <Status of={status} /> },
          { title: 'Ends', width: '140px', cell: ({ expires_at }) => <Time at={expires_at} /> },
          {
            title: 'Actions',
            width: '110px',
            align: 'right',
            phone: true,
            cell: (invitation) =>
              invitation.status === 'pending' && (
                <Button compact refused={may('invitations.revoke')} onClick={() => setChosen(invitation)}>
                  Revoke…
                </Button>
              ),
          },
        ]}
      />
      {chosen !== null && <Revoke invitation={chosen} onClose={() => setChosen(null)} />}
    </Panel>
  )
}

function Revoke({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      title="Revoke the invitation"
      intro={`The link that ${invitation.email} has opens nothing any more.`}
      submit="Revoke"
      danger
      refused={may('invitations.revoke')}
      done="The invitation is revoked."
      call={{
        method: 'POST',
        path: `/invitations/${invitation.id}/revoke`,
        sdk: { method: 'invitations.revoke', args: [invitation.id] },
      }}
      run={async (key) => {
        await api.invitations.revoke(invitation.id, key)
        await reread('invitation')
      }}
      onDone={onClose}
    />
  )
}
