/** The sidebar: workspace switcher, navigation and account menu. On a phone it overlays the page. */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useWorkspace } from '../api/workspace.tsx'
import { signOut } from '../session/session.ts'
import { IconButton } from '../ui/button.tsx'
import { PageLink } from '../ui/link.tsx'
import { Menu } from '../ui/menu.tsx'
import { useToast } from '../ui/toast.tsx'
import { areas, home, type NavigationPage } from './navigation.ts'
import { setTheme, storedTheme, type Theme } from './theme.ts'

export function Navigation({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { workspace } = useWorkspace()
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when the path changes.
  useEffect(close, [pathname])
  return (
    <nav
      aria-label="Main"
      className={`${isOpen ? 'max-md:fixed max-md:inset-0 max-md:z-20 max-md:overflow-auto' : 'max-md:hidden'} border-r border-line bg-canvas px-2.5 py-4 md:sticky md:top-0 md:max-h-dvh md:self-start md:overflow-y-auto md:min-h-dvh`}
    >
      <div className="mb-4 flex items-start justify-between gap-2">
        <Workspaces />
        <span className="md:hidden">
          <IconButton label="Close navigation" variant="quiet" onClick={close}>
            <X size={16} aria-hidden />
          </IconButton>
        </span>
      </div>
      <NavigationLink page={home} />
      {areas.map(({ title, pages }) => (
        <div key={title} className="mt-3">
          <h2 className="px-2 text-compact font-bold text-ink3">{title}</h2>
          {pages
            .filter(({ testOnly = false }) => !testOnly || workspace.mode === 'test')
            .map((page) => (
              <NavigationLink key={page.to} page={page} />
            ))}
        </div>
      ))}
      <Person />
    </nav>
  )
}

function NavigationLink({ page }: { page: NavigationPage }) {
  const { workspace } = useWorkspace()
  const { pathname } = useLocation()
  const path = `/${workspace.id}${page.to}`
  const isCurrent =
    page.to === ''
      ? pathname.replace(/\/$/, '') === path
      : pathname === path || pathname.startsWith(`${path}/`)
  const style = isCurrent ? 'bg-ink text-surface font-bold' : 'hover:bg-sunken'
  return (
    <PageLink
      to={page.to}
      aria-current={isCurrent ? 'page' : undefined}
      className={`flex min-h-7 items-center rounded-chip px-2 max-md:min-h-11 ${style}`}
    >
      {page.text}
    </PageLink>
  )
}

function Workspaces() {
  const { workspace, session } = useWorkspace()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const items = session.workspaces.map(({ id, name, mode }) => ({
    text: `${name}, ${mode}${id === workspace.id ? ' (current)' : ''}`,
    onSelect: () => {
      // Open the same list in the other workspace: objects of this workspace do not exist there.
      const [, , noun = ''] = pathname.split('/')
      void navigate({ to: `/${id}${noun === '' ? '' : `/${noun}`}` })
    },
  }))
  return (
    <Menu label="Switch workspace" items={items}>
      <svg width="22" height="14" viewBox="0 0 22 14" aria-hidden="true">
        <path d="M1 12h20M6 12c5 0 5-9 10-9h5" fill="none" stroke="currentColor" strokeWidth="2" />
      </svg>
      <span className="grid text-left">
        <span className="break-words whitespace-normal">{workspace.name}</span>
        <span className="text-compact font-normal text-ink2">{workspace.mode} workspace</span>
      </span>
    </Menu>
  )
}

const themes: readonly { theme: Theme; text: string }[] = [
  { theme: 'system', text: 'System theme' },
  { theme: 'light', text: 'Light theme' },
  { theme: 'dark', text: 'Dark theme' },
]

function Person() {
  const { session } = useWorkspace()
  const toast = useToast()
  const [theme, setCurrentTheme] = useState(storedTheme)
  const signOutOrWarn = () =>
    signOut().catch(() => toast('You are still signed in: the server did not respond. Try again.'))
  const { email, name, role } = session.person
  const items = [
    ...themes.map((entry) => ({
      text: `${entry.text}${entry.theme === theme ? ' ✓' : ''}`,
      onSelect: () => {
        setTheme(entry.theme)
        setCurrentTheme(entry.theme)
      },
    })),
    null,
    { text: 'Sign out', onSelect: () => void signOutOrWarn() },
  ]
  return (
    <div className="mt-6 border-t border-line pt-3">
      <Menu label="Theme, sign out" items={items}>
        <span className="grid min-w-0 text-left">
          <span className="max-w-36 overflow-hidden text-ellipsis">{name ?? email}</span>
          <span className="text-compact font-normal text-ink2">{role}</span>
        </span>
      </Menu>
    </div>
  )
}
