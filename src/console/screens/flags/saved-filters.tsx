import { Button, Menu } from '@mantine/core';
import Bookmark from 'lucide-react/icons/bookmark';
import { useState } from 'react';
import { type FlagsSearch, flagsSearch } from '../../app/searches.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { filterNameLengthMax, savedFiltersMax } from '../../parts/preferences.ts';
import { SafeName } from '../../parts/safe-name.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { usePreferenceStore, useProjectPreferences } from '../../parts/use-preferences.ts';
import { useProject } from '../../shell/project-context.ts';

interface SavedFiltersProps {
  readonly search: FlagsSearch;
  readonly onChange: (search: FlagsSearch) => void;
}

function SaveDialog({ search, onClose }: { readonly search: FlagsSearch; readonly onClose: () => void }) {
  const { id } = useProject();
  const store = usePreferenceStore();
  const [name, setName] = useState('');
  const save = () => {
    const own = { name: name.trim(), search: { ...search } };
    store.changeProject(id, ({ savedFilters }) => ({
      savedFilters: [...savedFilters.filter((filter) => filter.name !== own.name), own],
    }));
    onClose();
  };
  return (
    <FormDialog
      title="Save these filters"
      submit="Save filters"
      isDirty={name !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label="Name"
        description="Only you see it, in this browser."
        required
        data-autofocus
        maxLength={filterNameLengthMax}
        value={name}
        onText={setName}
      />
    </FormDialog>
  );
}

function isSame(one: object, other: object): boolean {
  const [left, right] = [one, other].map((search) => JSON.stringify(Object.entries(search).sort()));
  return left === right;
}

/** Filters that the member has saved under a name, in this project. */
export function SavedFilters({ search, onChange }: SavedFiltersProps) {
  const { id } = useProject();
  const { savedFilters } = useProjectPreferences(id);
  const store = usePreferenceStore();
  const [isSaving, setSaving] = useState(false);
  const isFiltered = Object.keys(search).length > 0;
  const present = savedFilters.find((filter) => isSame(filter.search, search));
  const remove = (name: string) =>
    store.changeProject(id, (present) => ({
      savedFilters: present.savedFilters.filter((filter) => filter.name !== name),
    }));
  return (
    <>
      <Menu position="bottom-end" shadow="md" width={280}>
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark aria-hidden="true" />}>
            Saved
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {savedFilters.length === 0 && <Menu.Label>No saved filters yet</Menu.Label>}
          {savedFilters.map((filter) => (
            <Menu.Item key={filter.name} onClick={() => onChange(flagsSearch(filter.search))}>
              <SafeName name={filter.name} />
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            disabled={!isFiltered || present !== undefined || savedFilters.length >= savedFiltersMax}
            onClick={() => setSaving(true)}
          >
            Save these filters …
          </Menu.Item>
          {present !== undefined && (
            <Menu.Item onClick={() => remove(present.name)}>
              Forget “<SafeName name={present.name} />”
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isSaving && <SaveDialog search={search} onClose={() => setSaving(false)} />}
    </>
  );
}
