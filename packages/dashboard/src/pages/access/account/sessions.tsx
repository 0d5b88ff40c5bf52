/** The sessions of the user, each with a sign-out action. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { openSignInPage } from '../../../session/session.ts'
import { fetchSession } from '../../../session/session-api.ts'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Chip } from '../../../ui/status.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { browserOf } from './browser.ts'

type ListedSession = {
  readonly id: string
  readonly created_at: string
  readonly last_seen_at: string
  readonly address: string | null
  readonly user_agent: string | null
  readonly current: boolean
}

const sessionsKey = ['session', 'all'] as const

export function Sessions() {
  const [open, setOpen] = useState<'all' | ListedSession | null>(null)
  const sessions = useQuery({
    queryKey: sessionsKey,
    queryFn: () => fetchSession<{ data: readonly ListedSession[] }>('GET', '/sessions'),
  })
  const close = () => setOpen(null)
  return (
    <Panel
      title="Sessions"
      flush
      titleExtra={
        <Button compact variant="danger" onClick={() => setOpen('all')}>
          Sign out everywhere…
        </Button>
      }
    >
      <Loaded query={sessions}>
        {({ data }) => (
          <PlainTable
            label="Sessions"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Browser',
                phone: true,
                cell: ({ user_agent, current }) => (
                  <span className="inline-flex flex-wrap items-center gap-2" title={user_agent ?? undefined}>
                    {browserOf(user_agent)}
                    {current && <Chip tone="info" mark="disc" text="This session" />}
                  </span>
                ),
              },
              {
                title: 'IP address',
                cell: ({ address }) => <span className="font-mono text-compact">{address}</span>,
              },
              { title: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
              { title: 'Last seen', phone: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
              {
                title: 'Actions',
                align: 'right',
                phone: true,
                cell: (session) =>
                  !session.current && (
                    <Button compact onClick={() => setOpen(session)}>
                      Sign out…
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {open === 'all' && <SignOutAll onClose={close} />}
      {open !== null && open !== 'all' && <SignOutOne session={open} onClose={close} />}
    </Panel>
  )
}

function SignOutOne({ session, onClose }: { session: ListedSession; onClose: () => void }) {
  const queries = useQueryClient()
  return (
    <ActionDialog
      title="Sign out session"
      intro={`${browserOf(session.user_agent)}${session.address === null ? '' : ` at ${session.address}`} is signed out within five seconds.`}
      submit="Sign out session"
      danger
      successMessage="Session signed out"
      run={async () => {
        await fetchSession('DELETE', `/sessions/${session.id}`)
        await queries.invalidateQueries({ queryKey: sessionsKey })
      }}
      onDone={onClose}
    />
  )
}

function SignOutAll({ onClose }: { onClose: () => void }) {
  return (
    <ActionDialog
      title="Sign out everywhere"
      intro="All your sessions are signed out, including this one."
      submit="Sign out everywhere"
      danger
      run={() => fetchSession('DELETE', '/sessions')}
      onDone={openSignInPage}
      onCancel={onClose}
    />
  )
}
