import '@mantine/core/styles.css';
import './app/console.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ConsoleApp } from './app/console-app.tsx';
import { announceNonce } from './app/csp-nonce.ts';
import { watchAttendance } from './client/attendance.ts';

announceNonce();
watchAttendance(window);
const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the console.');
createRoot(root).render(
  <StrictMode>
    <ConsoleApp />
  </StrictMode>,
);
