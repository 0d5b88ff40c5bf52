/** The people of the organization: roles, invitations and deactivation. */
import type { Person } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason, useIsAllowed, useWorkspace } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { ChangeRole, Deactivate, SignOut } from './actions.tsx'
import { Invitations, Invite } from './invitations.tsx'
import { RoleMatrix } from './role-matrix.tsx'

type PersonAction = { readonly kind: 'role' | 'sign_out' | 'deactivate'; readonly person: Person }

export function Page() {
  const disabledReasonFor = useDisabledReason()
  const isAllowed = useIsAllowed()
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const [action, setAction] = useState<PersonAction | null>(null)
  const rows = useRows(['person'], (api, page) => api.people.list(page))
  const invite = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('invitations.create')}
      onClick={() => setInviting(true)}
    >
      Invite person
    </Button>
  )
  return (
    <>
      <PageHead title="People" actions={invite} />
      <div className="grid gap-4">
        <Panel flush>
          <DataTable
            label="People"
            rows={rows}
            columns={[
              ...columns,
              {
                title: 'Actions',
                width: '96px',
                align: 'right',
                phone: true,
                cell: (person) => <PersonMenu person={person} setAction={setAction} />,
              },
            ]}
            empty={<Empty title="No people yet." action={invite} />}
          />
        </Panel>
        {isAllowed('invitations.list') && <Invitations />}
        <RoleMatrix />
        {isInviting && (
          <Invite
            onClose={() => setInviting(false)}
            onCreated={(url) => {
              setInviting(false)
              setLink(url)
            }}
          />
        )}
        {link !== null && (
          <ShownOnce
            title="Invitation link"
            intro="Send this link to the person. It is shown only once, works once, and expires after 7 days."
            text={link}
            copy="Copy link"
            onClose={() => setLink(null)}
          />
        )}
        {action !== null && <Dialogs action={action} onClose={() => setAction(null)} />}
      </div>
    </>
  )
}

function Dialogs({ action: { kind, person }, onClose }: { action: PersonAction; onClose: () => void }) {
  if (kind === 'role') return <ChangeRole person={person} onClose={onClose} />
  if (kind === 'sign_out') return <SignOut person={person} onClose={onClose} />
  return <Deactivate person={person} onClose={onClose} />
}

const columns: readonly Column<Person>[] = [
  {
    title: 'Person',
    phone: true,
    cell: ({ name, email }) => (
      <span title={email}>
        {name ?? email}
        {name !== null && <span className="text-ink2"> · {email}</span>}
      </span>
    ),
  },
  { title: 'Role', width: '130px', phone: true, cell: ({ role }) => role },
  { title: 'Status', width: '140px', cell: ({ status }) => <Status status={status} /> },
  { title: 'Two-factor', width: '140px', cell: ({ totp_enabled }) => (totp_enabled ? 'Code' : '–') },
  { title: 'Last seen', width: '140px', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
]

function PersonMenu({ person, setAction }: { person: Person; setAction: (action: PersonAction) => void }) {
  const disabledReasonFor = useDisabledReason()
  const me = useWorkspace().session.person.id
  if (person.status === 'deactivated') return null
  const selfReason = person.id === me ? 'You cannot do this to yourself. Ask another admin.' : null
  return (
    <Menu
      label={`More actions for ${person.name ?? person.email}`}
      items={[
        {
          text: 'Change role…',
          onSelect: () => setAction({ kind: 'role', person }),
          disabledReason: disabledReasonFor('people.update'),
        },
        {
          text: 'Sign out everywhere…',
          onSelect: () => setAction({ kind: 'sign_out', person }),
          disabledReason: disabledReasonFor('people.sign_out'),
        },
        {
          text: 'Deactivate…',
          onSelect: () => setAction({ kind: 'deactivate', person }),
          danger: true,
          disabledReason: disabledReasonFor('people.deactivate') ?? selfReason,
        },
      ]}
    />
  )
}
