/** The layout around every page of a workspace. */
import { Outlet, useParams } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useConnectionStatus, useLive } from '../api/live.ts'
import { useTestClocks } from '../api/test-clocks.ts'
import { useWorkspace, WorkspaceProvider } from '../api/workspace.tsx'
import { useSession } from '../session/session.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty, Skeleton } from '../ui/states.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { Inspector } from './inspector.tsx'
import { ShortcutsDialog, useShortcuts } from './shortcuts.tsx'
import { Navigation } from './sidebar.tsx'

const Palette = lazy(() => import('./palette.tsx'))

export function WorkspaceShell() {
  const session = useSession()
  const { workspaceId } = useParams({ strict: false }) as { workspaceId: string }
  const workspace = session?.workspaces.find(({ id }) => id === workspaceId)
  if (session === null) return null
  if (workspace === undefined)
    return (
      <main className="p-6">
        <Empty title="Workspace not found" action={<a href="/">Go to your workspace</a>}>
          The link may belong to another organization.
        </Empty>
      </main>
    )
  return (
    <WorkspaceProvider session={session} workspace={workspace}>
      <ToastProvider>
        <Frame key={workspace.id} />
      </ToastProvider>
    </WorkspaceProvider>
  )
}

function Frame() {
  const { workspace } = useWorkspace()
  useLive()
  const [open, setOpen] = useState<'palette' | 'keys' | 'navigation' | null>(null)
  const [isInspecting, setInspecting] = useState(false)
  useShortcuts(setOpen, open !== null)
  const close = () => setOpen(null)
  return (
    <>
      <a href="#content" className="sr-only focus:not-sr-only">
        Skip to content
      </a>
      {workspace.mode === 'test' && <TestBand />}
      <div className="md:grid md:grid-cols-[200px_minmax(0,1fr)]">
        <Navigation isOpen={open === 'navigation'} close={close} />
        <div className="flex min-h-[calc(100dvh-26px)] min-w-0 flex-col">
          <div className="flex items-center justify-between gap-2 px-4 pt-4 md:px-6.5">
            <span className="md:hidden">
              <IconButton label="Open navigation" onClick={() => setOpen('navigation')}>
                <MenuIcon size={16} aria-hidden />
              </IconButton>
            </span>
            <LiveNote />
            <Button
              variant="quiet"
              compact
              onClick={() => setOpen('palette')}
              aria-keyshortcuts="Control+K Meta+K"
            >
              <Search size={14} aria-hidden /> Search
              <kbd className="rounded-chip border border-edge px-1 font-mono text-axis">Ctrl K</kbd>
            </Button>
          </div>
          <main id="content" className="min-w-0 flex-1 px-4 pt-2 pb-8 md:px-6.5">
            <Suspense fallback={<Skeleton rows={6} />}>
              <Outlet />
            </Suspense>
          </main>
          <footer className="flex justify-end gap-2 px-4 pb-3 md:px-6.5">
            <Button variant="quiet" compact onClick={() => setOpen('keys')}>
              Keyboard shortcuts
            </Button>
            <Button
              variant="quiet"
              compact
              onClick={() => setInspecting(!isInspecting)}
              aria-pressed={isInspecting}
            >
              Show API calls
            </Button>
          </footer>
          <Inspector isOpen={isInspecting} setOpen={setInspecting} />
        </div>
      </div>
      {open === 'palette' && (
        <Suspense>
          <Palette close={close} />
        </Suspense>
      )}
      {open === 'keys' && <ShortcutsDialog close={close} />}
    </>
  )
}

function TestBand() {
  const { isIncluded, setIncluded } = useTestClocks()
  return (
    <section
      aria-label="Mode"
      className="hatched flex min-h-6.5 flex-wrap items-center justify-center gap-x-4 border-b border-line"
    >
      <strong className="bg-surface px-2 text-compact text-warning">Test workspace. No money moves.</strong>
      <label className="inline-flex items-center gap-1.5 bg-surface px-2 text-compact max-md:min-h-11">
        <input
          type="checkbox"
          checked={isIncluded}
          onChange={({ target }) => setIncluded(target.checked)}
          className="size-3.5 accent-ink"
        />
        Include test clocks
      </label>
    </section>
  )
}

/** Shown only while live updates are paused. */
function LiveNote() {
  const status = useConnectionStatus()
  return (
    <span role="status" className="flex-1 text-compact text-warning">
      {status === 'paused' && 'Updates are paused: the server cannot be reached. Retrying.'}
    </span>
  )
}
