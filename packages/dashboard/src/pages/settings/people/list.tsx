/** The people of the organization: what they may do, how they come in, and how they leave. */
import type { Person } from '@switchyard/sdk'
import { useState } from 'react'
import { useRows } from '../../../api/queries.ts'
import { useHere, useIsAllowed, useMay } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { ShownOnce } from '../../../ui/shown-once.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { ChangeRole, Deactivate, SignOut } from './acts.tsx'
import { Invitations, Invite } from './invitations.tsx'
import { RoleMatrix } from './role-matrix.tsx'

type Act = { readonly is: 'role' | 'sign_out' | 'deactivate'; readonly person: Person }

export function Page() {
  const may = useMay()
  const isAllowed = useIsAllowed()
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const [act, setAct] = useState<Act | null>(null)
  const rows = useRows(['person'], (api, page) => api.people.list(page))
  const invite = (
    <Button look="primary" refused={may('invitations.create')} onClick={() => setInviting(true)}>
      Invite
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
                cell: (person) => <Acts {...{ person, setAct }} />,
              },
            ]}
            empty={<Empty title="Nobody is here yet." action={invite} />}
          />
        </Panel>
        {isAllowed('invitations.list') && <Invitations />}
        <RoleMatrix />
        {isInviting && (
          <Invite
            onClose={() => setInviting(false)}
            onMade={(url) => {
              setInviting(false)
              setLink(url)
            }}
          />
        )}
        {link !== null && (
          <ShownOnce
            title="The invitation"
            intro="Send this link to the person. It is shown this once, works once, and for 7 days."
            text={link}
            copy="Copy the link"
            onClose={() => setLink(null)}
          />
        )}
        {act !== null && <Dialogs act={act} onClose={() => setAct(null)} />}
      </div>
    </>
  )
}

function Dialogs({ act: { is, person }, onClose }: { act: Act; onClose: () => void }) {
  if (is === 'role') return <ChangeRole person={person} onClose={onClose} />
  if (is === 'sign_out') return <SignOut person={person} onClose={onClose} />
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
  { title: 'Status', width: '140px', cell: ({ status }) => <Status of={status} /> },
  { title: 'Second factor', width: '140px', cell: ({ totp_enabled }) => (totp_enabled ? 'Code' : '–') },
  { title: 'Last seen', width: '140px', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
]

function Acts({ person, setAct }: { person: Person; setAct: (act: Act) => void }) {
  const may = useMay()
  const me = useHere().session.person.id
  if (person.status === 'deactivated') return null
  const own = person.id === me ? 'This is you. Another admin can do it.' : null
  return (
    <Menu
      label={`More for ${person.name ?? person.email}`}
      items={[
        {
          text: 'Change role…',
          onSelect: () => setAct({ is: 'role', person }),
          refused: may('people.update'),
        },
        {
          text: 'Sign out everywhere…',
          onSelect: () => setAct({ is: 'sign_out', person }),
          refused: may('people.sign_out'),
        },
        {
          text: 'Deactivate…',
          onSelect: () => setAct({ is: 'deactivate', person }),
          danger: true,
          refused: may('people.deactivate') ?? own,
        },
      ]}
    />
  )
}
