/**
 * SQL for the read store's migrations: sliding windows of 60 s in slots of 100 ms.
 *
 * A subject's row holds the total of its window and the slot that is being filled; older slots have rows of their own until they leave the
 * window. So a request costs one locked row, however full the window is. A slot leaves when all of it is more than 60 s old: the window
 * errs by at most 100 ms, and only towards refusing. Unlogged: a crash of the database empties the windows, which admits at most one window
 * too much.
 */
export const rateWindowsMigration = `
create unlogged table rate_windows (
  subject text primary key,
  used integer not null default 0,
  slot bigint not null default 0,
  slot_used integer not null default 0,
  oldest bigint not null default 0
) with (fillfactor = 50);

create unlogged table rate_window_slots (
  subject text not null,
  slot bigint not null,
  used integer not null,
  primary key (subject, slot)
);

-- Counts requests in their order. subjects are distinct and sorted; firsts and seconds are indexes into them for each request,
-- 0 where it asks for no second one, which is counted only when the first admits it.
-- Answers, for each request, what is left of both windows (-1: refused, -2: not asked), and when each subject's oldest slot leaves.
create function take_from_rate_windows(
  subjects text[], limits integer[], firsts integer[], seconds integer[],
  out first_left integer[], out second_left integer[], out reset_ms integer[]
) language plpgsql as $$
declare
  now_ms bigint;
  now_slot bigint;
  -- In the order of subjects; the names differ from those of the columns.
  counts integer[] := '{}';
  slots bigint[] := '{}';
  in_slots integer[] := '{}';
  oldests bigint[] := '{}';
  w record;
  gone integer;
  a integer;
  b integer;
begin
  -- Creates what is missing and locks the rest, in one order everywhere, so that calls never wait for each other in a circle.
  insert into rate_windows (subject) select unnest(subjects)
    on conflict (subject) do update set used = rate_windows.used where false;
  now_ms := floor(extract(epoch from clock_timestamp()) * 1000);
  now_slot := now_ms / 100;

  for w in select r.* from unnest(subjects) with ordinality s(subject, place) join rate_windows r using (subject) order by s.place loop
    if w.slot > now_slot then
      -- The clock was set back; what it counted ahead of time cannot be placed any more.
      delete from rate_window_slots s where s.subject = w.subject;
      w.used := 0; w.slot_used := 0;
    end if;
    if w.slot <> now_slot then
      if w.slot_used > 0 then
        insert into rate_window_slots values (w.subject, w.slot, w.slot_used);
      end if;
      w.slot := now_slot; w.slot_used := 0;
    end if;
    if w.used > 0 and w.oldest < now_slot - 600 then
      with left_the_window as (
        delete from rate_window_slots s where s.subject = w.subject and s.slot < now_slot - 600 returning s.used
      ) select coalesce(sum(l.used), 0) into gone from left_the_window l;
      w.used := w.used - gone;
      select coalesce(min(s.slot), now_slot) into w.oldest from rate_window_slots s where s.subject = w.subject;
    end if;
    if w.used = 0 then w.oldest := now_slot; end if;
    counts := counts || w.used; slots := slots || w.slot; in_slots := in_slots || w.slot_used; oldests := oldests || w.oldest;
  end loop;

  first_left := '{}'; second_left := '{}'; reset_ms := '{}';
  for i in 1 .. cardinality(firsts) loop
    a := firsts[i]; b := seconds[i];
    if counts[a] >= limits[a] then
      first_left[i] := -1; second_left[i] := -2;
      continue;
    end if;
    counts[a] := counts[a] + 1; in_slots[a] := in_slots[a] + 1;
    first_left[i] := limits[a] - counts[a];
    if b = 0 then
      second_left[i] := -2;
    elsif counts[b] >= limits[b] then
      second_left[i] := -1;
    else
      counts[b] := counts[b] + 1; in_slots[b] := in_slots[b] + 1;
      second_left[i] := limits[b] - counts[b];
    end if;
  end loop;

  update rate_windows r set used = n.used, slot = n.slot, slot_used = n.slot_used, oldest = n.oldest
    from unnest(subjects, counts, slots, in_slots, oldests) n(subject, used, slot, slot_used, oldest)
    where r.subject = n.subject;
  for i in 1 .. cardinality(subjects) loop
    reset_ms[i] := (oldests[i] + 601) * 100 - now_ms;
  end loop;
end $$;

-- Forgets subjects that counted nothing for over a minute, a bounded number of them at a time.
create function sweep_rate_windows() returns integer language plpgsql as $$
declare
  swept text[];
begin
  with idle as (
    select subject from rate_windows
    where slot < floor(extract(epoch from clock_timestamp()) * 10) - 700 limit 1000 for update skip locked
  ), forgotten as (
    delete from rate_windows using idle where rate_windows.subject = idle.subject returning rate_windows.subject
  ) select coalesce(array_agg(subject), '{}') into swept from forgotten;
  delete from rate_window_slots where subject = any(swept);
  return cardinality(swept);
end $$;
`;
