/** The system checks of the `doctor` command, each with advice. */
import type { System } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { GuardedPage } from '../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'

const titles = {
  ok: 'All checks pass.',
  warn: 'The system works, but some checks have warnings.',
  fail: 'Some checks failed.',
}
const tones = { ok: 'success', warn: 'warning', fail: 'danger' } as const

export function Page() {
  return (
    <GuardedPage operation="system.get" title="System">
      {() => <SystemView />}
    </GuardedPage>
  )
}

function SystemView() {
  const system = useObject(['system', 'checks'], (api, signal) => api.system.get({ signal }), {
    refetchInterval: 30_000,
  })
  return (
    <>
      <PageHead
        title="System"
        actions={
          <Button isBusy={system.isFetching} onClick={() => void system.refetch()}>
            Run checks again
          </Button>
        }
      />
      <Loaded query={system} rows={8}>
        {(data) => <Checks system={data} />}
      </Loaded>
    </>
  )
}

const order = ['fail', 'warn', 'ok']

function Checks({ system }: { system: System }) {
  const checks = system.checks.toSorted(
    (one, other) => order.indexOf(one.status) - order.indexOf(other.status),
  )
  return (
    <div className="grid gap-4">
      <Banner tone={tones[system.status]}>
        <strong>{titles[system.status]}</strong>
      </Banner>
      <Panel title="Checks" flush>
        <ul>
          {checks.map(({ id, title, status, detail, advice }) => (
            <li
              key={id}
              className="grid gap-x-4 gap-y-1 border-b border-line px-4 py-3 last:border-0 md:grid-cols-[100px_220px_minmax(0,1fr)]"
            >
              <div>
                <Status status={status} />
              </div>
              <h3 className="font-bold">{title}</h3>
              <div className="min-w-0">
                <p className="break-words">{detail}</p>
                {advice !== null && <p className="mt-1 text-ink2">{advice}</p>}
              </div>
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}
