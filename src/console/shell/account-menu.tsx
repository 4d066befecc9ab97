import { Menu, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import classes from './account-menu.module.css';
import { openOverlay } from './overlays.ts';
import { SchemeToggle } from './scheme-toggle.tsx';
import { useSession } from './use-session.ts';
import { useSignOut } from './use-sign-out.ts';

export function AccountMenu() {
  const { member, docsUrl } = useSession();
  const signOut = useSignOut();
  return (
    <div className={classes.foot}>
      <Menu position="top-start" width={220} shadow="md">
        <Menu.Target>
          <UnstyledButton className={classes.button}>
            <span className={classes.name}>{member.name}</span>
            <span className={classes.role}>{member.role}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item renderRoot={(props) => <Link to="/settings" search={{ tab: 'you' }} {...props} />}>
            Sessions and password
          </Menu.Item>
          <Menu.Item component="a" href={docsUrl} target="_blank" rel="noreferrer">
            Documentation
          </Menu.Item>
          <Menu.Item onClick={() => openOverlay('help')}>Keyboard</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={signOut}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SchemeToggle />
    </div>
  );
}
