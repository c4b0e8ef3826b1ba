-- A table that takes writes of the newest leader only.
create table fence (only_row boolean primary key default true check (only_row), token bigint not null);
insert into fence (token) values (0);
create table journal (number bigserial primary key, token bigint not null, host int not null, written timestamptz not null default clock_timestamp());

-- The greatest token seen is kept in the same transaction as the write: a lesser one is over, for ever.
create function write_as(mine bigint, host int) returns void language plpgsql as $$
begin
    update fence set token = mine where token <= mine;
    if not found then
        raise exception 'fenced: token % is over', mine;
    end if;
    insert into journal (token, host) values (mine, host);
end $$;
